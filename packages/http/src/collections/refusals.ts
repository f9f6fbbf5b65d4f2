import { type InputIssue, LapidaryError, type LapidaryErrorCode } from 'lapidary'
import { HttpProblem, unprocessable } from '../problem.ts'
import { seesAll, type View } from './view.ts'

/** Codes whose messages may name facets, indexes or attributes. */
const TELLING: readonly LapidaryErrorCode[] = [
  'bad_request',
  'not_implemented',
  'query_not_plannable',
  'unprocessable',
  'condition_failed',
]

/** Turns an error of a question into one that the caller may see: a wrong value in a query makes a malformed request. */
export function refusedQuestion(view: View, error: unknown): unknown {
  if (!(error instanceof LapidaryError) || !TELLING.includes(error.code)) return error
  const code = error.code === 'not_implemented' ? 'not_implemented' : 'bad_request'
  if (!seesAll(view)) return new HttpProblem(code, 'this can’t be answered; ask something else', { cause: error })
  if (code === 'not_implemented') return error
  const errors = error.details.errors as readonly InputIssue[] | undefined
  return new LapidaryError('bad_request', error.message, {
    details: errors === undefined ? {} : { errors },
    cause: error,
  })
}

/** Turns an error of a write into one that the caller may see: what is wrong with something hidden has no name. */
export function refusedWrite(view: View, error: unknown): unknown {
  if (!(error instanceof LapidaryError) || seesAll(view) || !TELLING.includes(error.code)) return error
  const { errors = [] } = error.details as { readonly errors?: readonly InputIssue[] }
  const seen = errors.filter(({ path }) => isSeen(view, path.split('.', 1)[0] as string))
  const hidden = seen.length < errors.length || errors.length === 0
  return unprocessable('the body was refused', [
    ...seen,
    ...(hidden ? [{ path: '', message: 'the item does not fit something that this caller can’t see' }] : []),
  ])
}

/** Tells whether a name in an error is an attribute, or a facet, that the caller sees. */
function isSeen({ collection, hidden, schemas }: View, name: string): boolean {
  if (hidden.has(name)) return false
  return Object.hasOwn(collection.facets, name) || Object.hasOwn(schemas.input.properties, name) || name === ''
}
