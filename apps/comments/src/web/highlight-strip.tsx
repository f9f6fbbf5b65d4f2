import type { Child } from 'hono/jsx'
import type { Comment } from '../comment.ts'
import type { Highlights } from '../highlights.ts'
import type { ListParameters } from '../list-parameters.ts'
import { Stars } from './icons.tsx'
import { FIRST_PAGE, listPath } from './links.ts'
import { day } from './words.ts'

export interface HighlightStripProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly highlights: Highlights
}

/** The best and the worst said lately, each a link to the comments like it, in the language chosen. */
export function HighlightStrip({ productId, parameters, highlights }: HighlightStripProps) {
  const { positive, critical, latest } = highlights
  if (latest === null) return null
  const to = (ratings: ListParameters['ratings']) =>
    listPath(productId, parameters, { ...FIRST_PAGE, ratings, order: 'newest' })
  return (
    <section class="highlights" aria-label="Highlights">
      {positive === null ? null : (
        <Highlight name="Latest praise" href={to([4, 5])} time={positive.createdAt}>
          <Quote comment={positive} />
        </Highlight>
      )}
      {critical === null ? null : (
        <Highlight name="Latest criticism" href={to([1, 2])} time={critical.createdAt}>
          <Quote comment={critical} />
        </Highlight>
      )}
      <Highlight name="Last comment" href={to([])} time={latest.createdAt} />
    </section>
  )
}

interface HighlightProps {
  readonly name: string
  readonly href: string
  readonly time: string
  readonly children?: Child
}

function Highlight({ name, href, time, children }: HighlightProps) {
  return (
    <a class={children === undefined ? 'highlight highlight-short' : 'highlight'} href={href}>
      <span class="highlight-head">
        <span class="highlight-name">{name}</span> <time datetime={time}>{day(time)}</time>
      </span>
      {children}
    </a>
  )
}

function Quote({ comment: { rating, title, text, language } }: { comment: Comment }) {
  return (
    <span class="highlight-quote">
      <Stars rating={rating} label={`Rated ${rating} out of 5`} />
      <bdi class="highlight-words" lang={language}>
        {title === '' ? beginningOf(text) : title}
      </bdi>
    </span>
  )
}

/** Enough to fill a line; the style sheet cuts it where the line ends. */
function beginningOf(text: string): string {
  return [...text].slice(0, 120).join('')
}
