import type { Context } from 'hono'
import type { Item } from 'lapidary'
import * as z from 'zod'
import type { RouteDeclaration } from '../route.ts'
import type { AppEnv } from '../routing.ts'
import {
  conditions,
  idempotencyKey,
  ifNoneMatch,
  listHeaders,
  pageSchema,
  TAG,
  UNCHANGED,
  WRITTEN_HEADER,
} from '../schemas.ts'
import type { Action } from './access.ts'
import { answerCounts, answerLeaderboard } from './answer-counts.ts'
import { answerCreate, answerDelete, answerGet, answerPatch } from './answer-item.ts'
import { answerList } from './answer-page.ts'
import { answerPut } from './answer-put.ts'
import { type Components, LONGEST_KEY } from './components.ts'
import { boardSchema, countsSchema } from './count-schemas.ts'
import type { CollectionNames } from './names.ts'
import { boardQuery, countsQuery, listQuery } from './query-schemas.ts'
import type { Sent } from './sent-body.ts'
import type { Admitted } from './served.ts'
import type { View } from './view.ts'

/** A request after it is let in and its address is read. */
export interface LetIn {
  readonly context: Context<AppEnv>
  readonly admitted: Admitted
  readonly search: URLSearchParams
  readonly params: Readonly<Record<string, string>>
  /** What was sent; nothing where no body is read. */
  readonly sent: Item
  /** The path of the collection, with what it is mounted below: `/api/orders`. */
  readonly path: string
  /** Lets the same request in for something else. */
  readonly admitAs: (kind: Action['kind']) => Promise<Admitted>
}

/** One route of every collection. */
export interface CollectionRoute {
  readonly action: Action['kind']
  readonly method: RouteDeclaration['method']
  /** Behind the collection's path: `/{id}`. */
  readonly path: string
  /** Describes it for one caller; undefined where there is nothing for it. */
  readonly declare: (view: View, names: CollectionNames, components: () => Components) => RouteDeclaration | undefined
  readonly query: ((view: View) => z.ZodObject) | undefined
  /** What its body is for, where it has one. */
  readonly sends?: Sent
  readonly answer: (request: LetIn) => Promise<Response>
}

const ETAG = {
  ETag: 'The version and a digest of the item, quoted: `"3.lGvUsWl5fTdwUbfnHvFeYrQp6OE"`; of items without a version, the digest.',
}
const ITEM = ['unauthorized', 'forbidden', 'not_found', 'not_implemented', 'unavailable'] as const
const CHANGE = [...ITEM, 'rate_limited', 'version_conflict'] as const
const LIST = [
  'unauthorized',
  'forbidden',
  'not_found',
  'cursor_invalid',
  'cursor_mismatch',
  'not_implemented',
  'unavailable',
] as const
const CHANGED = { ...ETAG, ...WRITTEN_HEADER }
const created = ({ item }: Components) => ({ schema: item, headers: { ...CHANGED, Location: 'Where the item is.' } })
const idParams = z.object({ id: z.string().meta({ minLength: 1, maxLength: LONGEST_KEY, description: 'The id.' }) })

/** The routes of every collection, in the order in which they are described. */
export const COLLECTION_ROUTES: readonly CollectionRoute[] = [
  {
    ...{ action: 'list', method: 'get', path: '', query: listQuery },
    declare: (view, { path, many, one }, components) => ({
      ...{ method: 'get', path: `/${path}`, operationId: `list${many}`, tag: path },
      summary: `A page of ${path}`,
      description: 'Parameters without a value count as absent.',
      query: listQuery(view),
      headers: listHeaders,
      answers: {
        200: {
          description: 'A page.',
          schema: pageSchema(components().listed, {
            id: `${one}Page`,
            items: many,
            facets: Object.keys(view.collection.facets),
          }),
          headers: { ...TAG, Link: '`next`, `prev`, `first`, `last`, where known.' },
        },
        304: UNCHANGED,
      },
      problems: LIST,
    }),
    answer: ({ context, path, admitted, search }) => answerList(context, path, admitted, search),
  },
  {
    ...{ action: 'create', method: 'post', path: '', query: undefined },
    declare: (_, { path, many }, components) => ({
      ...{ method: 'post', path: `/${path}`, operationId: `create${many}`, tag: path, role: 'writer' },
      summary: `Create one of ${path}`,
      headers: idempotencyKey,
      body: components().created,
      answers: { 201: { description: 'The item as it was stored.', ...created(components()) } },
      problems: [...CHANGE, 'already_exists', 'idempotency_mismatch'],
    }),
    sends: 'create',
    answer: ({ context, path, admitted, sent }) => answerCreate(context, path, admitted, sent),
  },
  {
    ...{ action: 'get', method: 'get', path: '/{id}', query: undefined },
    declare: (_, { path, many }, components) => ({
      ...{ method: 'get', path: `/${path}/{id}`, operationId: `get${many}`, tag: path },
      summary: `Read one of ${path}`,
      params: idParams,
      headers: ifNoneMatch,
      answers: {
        200: { description: 'The item.', schema: components().item, headers: ETAG },
        304: { description: 'It is as it was.', headers: ETAG },
      },
      problems: ITEM,
    }),
    answer: ({ context, admitted, params }) => answerGet(context, admitted, params.id ?? ''),
  },
  {
    ...{ action: 'replace', method: 'put', path: '/{id}', query: undefined },
    declare: (_, { path, many }, components) => ({
      ...{ method: 'put', path: `/${path}/{id}`, operationId: `replace${many}`, tag: path, role: 'writer' },
      summary: `Put a whole item in the place of one of ${path}, or create it`,
      params: idParams,
      headers: conditions,
      body: components().whole,
      answers: {
        200: { description: 'The item as it is now.', schema: components().item, headers: CHANGED },
        201: { description: 'There was none with this id; the item as it was stored.', ...created(components()) },
      },
      problems: CHANGE,
    }),
    sends: 'replace',
    answer: ({ context, path, admitted, params, sent, admitAs }) =>
      answerPut(context, { id: params.id ?? '', sent, path, admitted, admitNew: () => admitAs('create') }),
  },
  {
    ...{ action: 'patch', method: 'patch', path: '/{id}', query: undefined },
    declare: (_, { path, many }, components) => ({
      ...{ method: 'patch', path: `/${path}/{id}`, operationId: `change${many}`, tag: path, role: 'writer' },
      summary: `Change attributes of one of ${path}`,
      description: 'Null removes an attribute that can’t be null.',
      params: idParams,
      headers: conditions,
      body: components().changes,
      answers: { 200: { description: 'The item as it is now.', schema: components().item, headers: CHANGED } },
      problems: CHANGE,
    }),
    sends: 'patch',
    answer: ({ context, admitted, params, sent }) => answerPatch(context, admitted, params.id ?? '', sent),
  },
  {
    ...{ action: 'delete', method: 'delete', path: '/{id}', query: undefined },
    declare: (_, { path, many }) => ({
      ...{ method: 'delete', path: `/${path}/{id}`, operationId: `delete${many}`, tag: path, role: 'admin' },
      summary: `Delete one of ${path}`,
      params: idParams,
      headers: conditions,
      answers: { 204: { description: 'It is gone.', headers: WRITTEN_HEADER } },
      problems: CHANGE,
    }),
    answer: ({ context, admitted, params }) => answerDelete(context, admitted, params.id ?? ''),
  },
  {
    ...{ action: 'count', method: 'get', path: '/-/counts', query: countsQuery },
    declare: (view, { path, many, one }) => ({
      ...{ method: 'get', path: `/${path}/-/counts`, operationId: `count${many}`, tag: path },
      summary: `Counts and sums of ${path}`,
      query: countsQuery(view),
      headers: ifNoneMatch,
      answers: {
        200: { description: 'The counts.', schema: countsSchema(view, one), headers: TAG },
        304: UNCHANGED,
      },
      problems: ['unauthorized', 'forbidden', 'not_found', 'not_implemented', 'unavailable'],
    }),
    answer: ({ context, admitted, search }) => answerCounts(context, admitted, search),
  },
  {
    ...{ action: 'leaderboard', method: 'get', path: '/-/leaderboards/{name}', query: boardQuery },
    declare: (view, { path, many, one }) =>
      view.collection.leaderboards.length === 0
        ? undefined
        : {
            ...{ method: 'get', path: `/${path}/-/leaderboards/{name}`, operationId: `rank${many}`, tag: path },
            summary: `${view.collection.scope.name} by ${path}, the most first`,
            params: z.object({
              name: z
                .string()
                .meta({ enum: view.collection.leaderboards.map(({ name }) => name), description: 'The board.' }),
            }),
            query: boardQuery(view),
            headers: ifNoneMatch,
            answers: {
              200: { description: 'The leaders; equal ones share a rank.', schema: boardSchema(one), headers: TAG },
              304: UNCHANGED,
            },
            problems: LIST,
          },
    answer: ({ context, path, admitted, search, params }) =>
      answerLeaderboard(context, path, { admitted, name: params.name ?? '' }, search),
  },
]
