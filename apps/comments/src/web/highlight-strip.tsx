import type { Highlights } from '../highlights.ts'
import type { ShownComment } from '../shown-comment.ts'
import { Stars } from './icons.tsx'
import { commentPath } from './links.ts'
import { useWords } from './reader.ts'

export interface HighlightStripProps {
  readonly highlights: Highlights
  /** Ids of the comments on the page, in their order. */
  readonly shown: readonly string[]
}

/**
 * Shows the best and the worst recent comment: two lines of each, with a link to the comment itself. The first comment of the list stands right
 * below, so it is not shown twice.
 */
export function HighlightStrip({ highlights, shown }: HighlightStripProps) {
  const { say } = useWords()
  const unlessFirst = (comment: ShownComment | null) => (comment?.id === shown[0] ? null : comment)
  const positive = unlessFirst(highlights.positive)
  const critical = unlessFirst(highlights.critical)
  if (positive === null && critical === null) return null
  return (
    <section class="highlights" aria-label={say.highlights.label}>
      {positive === null ? null : <Highlight name={say.highlights.praise} comment={positive} shown={shown} />}
      {critical === null ? null : <Highlight name={say.highlights.criticism} comment={critical} shown={shown} />}
    </section>
  )
}

interface HighlightProps extends Pick<HighlightStripProps, 'shown'> {
  readonly name: string
  readonly comment: ShownComment
}

function Highlight({ name, comment, shown }: HighlightProps) {
  const { day, number, say } = useWords()
  const { id, productId, rating, title, text, language, createdAt } = comment
  const href = shown.includes(id) ? `#comment-${encodeURIComponent(id)}` : commentPath(productId, id)
  return (
    <a class="highlight" href={href}>
      <span class="highlight-head">
        <Stars rating={rating} label={say.rated(number(rating))} />
        <span class="highlight-name">{name}</span>{' '}
        <time datetime={createdAt} data-time="day">
          {day(createdAt)}
        </time>
      </span>
      <bdi class="highlight-words" lang={language}>
        {title === '' ? null : <b>{title}</b>} {beginningOf(text)}
      </bdi>
    </a>
  )
}

/** Cuts a text to fill two lines; the style sheet cuts it where they end. */
function beginningOf(text: string): string {
  return [...text].slice(0, 180).join('')
}
