import { RATINGS } from '../list-parameters.ts'
import { Icon, Stars } from './icons.tsx'
import type { Leader } from './leaderboard.tsx'
import { productListPath } from './links.ts'
import { ProductPicture } from './product-shown.tsx'
import { useWords } from './reader.ts'

/** Shows the leader of the board at a glance: its ratings, each a link to its comments of that rating. */
export function FeaturedProduct({ leader, language }: { leader: Leader; language: string | undefined }) {
  const { average, commentCount, languageName, percent, say } = useWords()
  const { productId, product, statistics } = leader
  const { counts, total } = statistics
  const inLanguage = language === undefined ? '' : ` ${say.inLanguage(languageName(language))}`
  return (
    <section class="featured" aria-labelledby="featured-title">
      <p class="featured-why">
        {say.board.title}
        {inLanguage}
      </p>
      <div class="featured-name">
        {product === undefined ? null : <ProductPicture product={product} size={72} />}
        <h2 class="featured-title" id="featured-title">
          {product === undefined ? `${say.productHead.product} ` : null}
          <bdi class="product-id">{product?.name ?? productId}</bdi>
        </h2>
      </div>
      <p class="featured-rating">
        <span class="average">{average(statistics.average)}</span>
        <Stars rating={statistics.average ?? 0} label={say.rated(average(statistics.average))} />
        <span>
          {commentCount(total)}
          {inLanguage}
        </span>
      </p>
      <ul class="featured-bars">
        {RATINGS.map((rating) => {
          const share = total !== null && total > 0 ? (counts?.[rating] ?? 0) / total : 0
          return (
            <li>
              <a class="featured-bar" href={productListPath(productId, { language, ratings: [rating] })}>
                <span class="rating-value">
                  {rating}
                  <Icon name="star" size={14} />
                </span>
                <svg class="bar" height="10" aria-hidden="true">
                  <rect class="bar-track" width="100%" height="10" rx="2" />
                  <rect class="bar-fill" width={`${(100 * share).toFixed(2)}%`} height="10" rx="2" />
                </svg>
                <span class="rating-share">{percent(share)}</span>
              </a>
            </li>
          )
        })}
      </ul>
      <a class="button" href={productListPath(productId, { language })}>
        {say.home.read}
      </a>
    </section>
  )
}
