import { type AddRoute, answerTagged, ifNoneMatch, orNull, TAG, UNCHANGED } from 'lapidary-http/internal'
import * as z from 'zod'
import { fiveStarBoard } from '../five-star-board.ts'
import { highlights } from '../highlights.ts'
import { parseListParameters } from '../list-parameters.ts'
import { productStatistics } from '../product-statistics.ts'
import type { Services } from '../services.ts'
import { commentOutput, languageQuery, productParams } from './schemas.ts'

const tag = 'Statistics'
const asOf = z
  .string()
  .nullable()
  .meta({ description: 'The time up to which changes are counted; null while nothing is known.' })

const statisticsSchema = z
  .object({
    productId: z.string(),
    language: z.string().nullable(),
    counts: z
      .record(z.enum(['1', '2', '3', '4', '5']), z.int())
      .nullable()
      .meta({
        description: 'Counts by rating, in the language. Null while they are not known, as before the first count.',
      }),
    total: z
      .int()
      .nullable()
      .meta({ description: 'Null while it is not known, or the counts are too far behind: see `/readyz`.' }),
    languages: z
      .record(z.string(), z.int())
      .nullable()
      .meta({ description: 'Counts by language, of the product. Null where `counts` is.' }),
    average: z.number().nullable().meta({ description: 'Null without a comment, and where `total` is.' }),
    asOf,
  })
  .meta({ id: 'Statistics' })

const highlightsSchema = z
  .object({
    positive: orNull(commentOutput),
    critical: orNull(commentOutput),
    lastCommentedAt: z.string().nullable(),
  })
  .meta({ id: 'Highlights' })

const leaderboardSchema = z
  .object({
    entries: z
      .array(z.object({ productId: z.string(), count: z.int(), rank: z.int() }))
      .nullable()
      .meta({ description: 'Null while the board is not known, as while it is being made.' }),
    asOf,
  })
  .meta({ id: 'Leaderboard' })

/** Adds counts, highlights and leaderboards. */
export function addStatisticsRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(
    {
      method: 'get',
      path: '/products/{productId}/statistics',
      operationId: 'productStatistics',
      summary: 'Counts by rating and by language',
      tag,
      params: productParams,
      query: languageQuery,
      headers: ifNoneMatch,
      answers: { 200: { description: 'The counts.', schema: statisticsSchema, headers: TAG }, 304: UNCHANGED },
      problems: ['unavailable'],
    },
    async (context, { params: { productId }, query }) => {
      const { language } = parseListParameters(query)
      const { asOf, rcu, ...statistics } = await productStatistics(services, productId, language)
      return answerTagged(context, statistics, { asOf })
    },
  )
  addRoute(
    {
      method: 'get',
      path: '/products/{productId}/highlights',
      operationId: 'productHighlights',
      summary: 'The most recent positive and critical comment',
      tag,
      params: productParams,
      query: languageQuery,
      headers: ifNoneMatch,
      answers: { 200: { description: 'The highlights.', schema: highlightsSchema, headers: TAG }, 304: UNCHANGED },
      problems: ['unavailable'],
    },
    async (context, { params: { productId }, query }) => {
      const { positive, critical, latest } = await highlights(services, productId, parseListParameters(query).language)
      return answerTagged(context, { positive, critical, lastCommentedAt: latest?.createdAt ?? null })
    },
  )
  addRoute(
    {
      method: 'get',
      path: '/leaderboards/five-star',
      operationId: 'fiveStarLeaderboard',
      summary: 'The products with the most five-star comments',
      tag,
      query: languageQuery.extend({ limit: z.int().meta({ minimum: 1, maximum: 100, default: 10 }).optional() }),
      headers: ifNoneMatch,
      answers: {
        200: { description: 'The leaders; equal counts share a rank.', schema: leaderboardSchema, headers: TAG },
        304: UNCHANGED,
      },
      problems: ['unavailable'],
    },
    async (context, { query }) => {
      const { language, limit } = parseListParameters(query)
      const { entries, asOf } = await fiveStarBoard(services, { language, ...(query.get('limit') ? { limit } : {}) })
      return answerTagged(context, { entries }, { asOf })
    },
  )
}
