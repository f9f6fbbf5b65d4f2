import { type AddRoute, HttpProblem, tellWritten, WRITTEN_HEADER } from 'lapidary-http/internal'
import type { Identify, Person } from '../people/person.ts'
import type { Services } from '../services.ts'
import { vote, withdrawVote } from '../votes/votes.ts'
import { commentParams } from './schemas.ts'

const tag = 'Comments'
const shared = {
  path: '/comments/{id}/vote',
  tag,
  params: commentParams,
  problems: ['unauthorized', 'not_found', 'unavailable'],
} as const

/** Adds the votes of people for comments. They are no matter of tokens: whoever sends a request is asked of the shop. */
export function addVoteRoutes(addRoute: AddRoute, services: Services, identify: Identify | undefined): void {
  addRoute(
    {
      ...shared,
      method: 'put',
      operationId: 'voteForComment',
      summary: 'Say that a comment was helpful',
      description:
        'One vote a person, whom the shop names by the request; again, it changes nothing. The version of the comment stays.',
      answers: { 204: { description: 'The vote counts.', headers: WRITTEN_HEADER } },
      problems: [...shared.problems, 'forbidden'],
    },
    async (context, { params: { id } }) => {
      await vote(services, await personOf(context.req.raw, identify), id)
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
      await withdrawVote(services, await personOf(context.req.raw, identify), id)
      tellWritten(context, id)
      return context.body(null, 204)
    },
  )
}

/** @throws {HttpProblem} `unauthorized` for somebody whom the shop does not know, and where there is no shop to ask. */
async function personOf(request: Request, identify: Identify | undefined): Promise<Person> {
  const person = await identify?.(request)
  if (person !== undefined) return person
  const detail =
    identify === undefined
      ? 'this server knows no people, so nobody can vote: give createApp what tells who sends a request, identify'
      : 'sign in to vote; the shop does not know who sent this request'
  throw new HttpProblem('unauthorized', detail)
}
