import type { RankedProduct } from '../five-star-board.ts'
import type { ProductStatistics } from '../product-statistics.ts'
import { AsOf } from './as-of.tsx'
import { Stars } from './icons.tsx'
import { homePath, productListPath } from './links.ts'
import { ProductPicture, type ProductShown } from './product-shown.tsx'
import { useReader, useWords } from './reader.ts'

/** A product's rank, with the statistics of its comments. */
export interface Leader extends RankedProduct {
  readonly product: ProductShown | undefined
  /** The statistics in the board's language. */
  readonly statistics: ProductStatistics
}

export interface LeaderboardProps {
  /** The leaders; null while the board is being made. */
  readonly leaders: readonly Leader[] | null
  /** The language; undefined = any. */
  readonly language: string | undefined
  readonly asOf: string | null
  readonly rcu: number
}

/** Shows products by their number of 5-star comments; equal counts share a rank. What it cost is for a reader who wants plans first. */
export function Leaderboard({ leaders: known, language, asOf, rcu }: LeaderboardProps) {
  const { plansFirst, words } = useReader()
  const { languageName, rcu: rcuText, say } = words
  const leaders = known ?? []
  const most = Math.max(1, ...leaders.map((leader) => leader.count))
  return (
    <section class="leaderboard" id="leaderboard" aria-labelledby="leaderboard-title">
      <div class="leaderboard-head">
        <h2 id="leaderboard-title">
          {say.board.title}
          {language === undefined ? '' : ` ${say.inLanguage(languageName(language))}`}
        </h2>
        {plansFirst ? (
          <p class="leaderboard-told">
            <AsOf time={asOf} />
            {asOf === null ? '' : '. '}
            {say.board.read(rcuText(rcu))}
          </p>
        ) : null}
      </div>
      <LanguageLinks language={language} leaders={leaders} />
      {leaders.length === 0 ? (
        <p class="sheet leaderboard-empty">
          {known === null
            ? say.board.unknown
            : say.board.empty(language === undefined ? undefined : languageName(language))}
        </p>
      ) : (
        <ol class="sheet leaders">
          {leaders.map((leader) => (
            <LeaderRow
              leader={leader}
              language={language}
              share={leader.count / most}
              shared={leaders.filter(({ rank }) => rank === leader.rank).length > 1}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

interface LeaderRowProps {
  readonly leader: Leader
  readonly language: string | undefined
  /** The share of the leader's count, 0 to 1. */
  readonly share: number
  /** Whether another product has the same rank. */
  readonly shared: boolean
}

function LeaderRow({ leader, language, share, shared }: LeaderRowProps) {
  const { average, commentCount, number, say } = useWords()
  const { productId, product, count: fives, rank, statistics } = leader
  return (
    <li>
      <a class="leader" href={productListPath(productId, { language })}>
        <span class="leader-rank">
          {shared ? <span aria-hidden="true">=</span> : null}
          {rank}
          {shared ? <span class="visually-hidden"> {say.board.shared}</span> : null}
        </span>
        <span class="leader-picture">
          {product === undefined ? null : <ProductPicture product={product} size={40} />}
        </span>
        <span class="leader-name">
          {product === undefined ? `${say.productHead.product} ` : null}
          <bdi>{product?.name ?? productId}</bdi>
        </span>
        <span class="leader-rating">
          <Stars rating={statistics.average ?? 0} />
          <span class="leader-average">
            {average(statistics.average)}
            <span class="visually-hidden"> {say.board.outOfFive}</span>
          </span>
          <span class="leader-total">{commentCount(statistics.total)}</span>
        </span>
        <svg class="bar" height="10" aria-hidden="true">
          <rect class="bar-fill" width={`${(100 * share).toFixed(2)}%`} height="10" rx="2" />
        </svg>
        <span class="leader-count">
          <b>{number(fives)}</b> {say.board.withFiveStars}
        </span>
      </a>
    </li>
  )
}

/** Shows the languages of the leaders' comments. Each board has an address of its own. */
function LanguageLinks({ leaders, language }: { leaders: readonly Leader[]; language: string | undefined }) {
  const { languageTitle, locale, say } = useWords()
  const found = leaders.flatMap(({ statistics }) =>
    Object.entries(statistics.languages ?? {}).flatMap(([tag, comments]) => (comments > 0 ? [tag] : [])),
  )
  const choices = [...new Set([...found, ...(language === undefined ? [] : [language])])]
    .map((tag) => ({ tag, name: languageTitle(tag) }))
    .sort((a, b) => a.name.localeCompare(b.name, locale))
  if (choices.length === 0) return null
  return (
    <nav class="board-languages" aria-label={say.board.languages}>
      <ul>
        {[{ tag: undefined, name: say.anyLanguage }, ...choices].map(({ tag, name }) => (
          <li>
            <a
              class="board-language"
              href={`${homePath(tag)}#leaderboard`}
              aria-current={tag === language ? 'true' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
