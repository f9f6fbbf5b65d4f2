import { type AddRoute, tellWritten, WRITTEN_HEADER } from 'lapidary-http/internal'
import type { PeopleRules } from '../people/people-rules.ts'
import { commentParams } from './schemas.ts'

const tag = 'Comments'
const shared = {
  path: '/comments/{id}/vote',
  tag,
  people: 'known',
  params: commentParams,
  problems: ['not_found', 'unavailable'],
} as const

/** Adds the votes of people for comments. They are no matter of tokens: whoever sends a request is asked of the shop. */
export function addVoteRoutes(addRoute: AddRoute, people: PeopleRules): void {
  const { visitors } = people
  addRoute(
    {
      ...shared,
      method: 'put',
      operationId: 'voteForComment',
      summary: 'Say that a comment was helpful',
      description:
        'One vote a person, whom the shop names by the request; again, it changes nothing. The version of the comment stays.',
      answers: { 204: { description: 'The vote counts.', headers: WRITTEN_HEADER } },
    },
    async (context, { params: { id } }) => {
      await people.vote(await visitors.requirePerson(context), id, true)
      tellWritten(context, id)
      return context.body(null, 204)
    },
  )
  addRoute(
    {
      ...shared,
      method: 'delete',
      operationId: 'withdrawVote',
      summary: 'Take the vote back',
      description: 'Where there is none, it changes nothing.',
      answers: { 204: { description: 'There is no vote of this person.', headers: WRITTEN_HEADER } },
    },
    async (context, { params: { id } }) => {
      await people.vote(await visitors.requirePerson(context), id, false)
      tellWritten(context, id)
      return context.body(null, 204)
    },
  )
}
