import { pathSegment } from 'lapidary-http/internal'
import type { ShownComment } from '../shown-comment.ts'
import { Icon } from './icons.tsx'
import { votePath } from './links.ts'
import { useReader } from './reader.ts'
import type { Voting } from './voting.ts'

interface HelpfulProps {
  readonly comment: ShownComment
  readonly voting: Voting
}

/** Shows how many people found a comment helpful, as the button by which the reader says so too; it works without the script. */
export function Helpful({ comment, voting }: HelpfulProps) {
  const { visitor, words } = useReader()
  const { isolate, number, say } = words
  const { votes } = say
  const { id, productId, author, helpful } = comment
  const count = helpful === 0 ? null : <span class="vote-count">{number(helpful)}</span>
  // Nobody votes for their own.
  if (voting.kind === 'none' || visitor?.ownId === id)
    return helpful === 0 ? null : (
      <p class="vote vote-told">
        <Icon name="helpful" size={18} />
        {votes.found(number(helpful))}
      </p>
    )
  const of = <span class="visually-hidden"> {votes.ofComment(isolate(author))}</span>
  if (voting.kind === 'signIn')
    return (
      <a class="vote vote-button" href={voting.href} rel="nofollow" title={votes.signIn}>
        <Icon name="helpful" size={18} />
        {votes.helpful}
        {count}
        {of}
      </a>
    )
  const isOwn = voting.has(comment)
  return (
    <form class="vote" method="post" action={votePath(productId, id)} data-vote={`/comments/${pathSegment(id)}/vote`}>
      <input type="hidden" name="vote" value={isOwn ? 'back' : 'helpful'} />
      <input type="hidden" name="back" value={voting.back} />
      <button
        class="vote-button"
        type="submit"
        id={`vote-${id}`}
        aria-pressed={isOwn ? 'true' : 'false'}
        data-helpful={String(helpful)}
        title={isOwn ? votes.takeBack : undefined}
      >
        <Icon name="helpful" size={18} />
        {votes.helpful}
        <span class="vote-count">{helpful === 0 ? '' : number(helpful)}</span>
        {of}
      </button>
    </form>
  )
}
