import { COUNTS_BY_DAY, countsByDayShapes } from '../derived/counts/counts-by-day.ts'
import { countsAcrossShape } from '../derived/counts/counts-shape.ts'
import { scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Shape } from '../derived/register/shape.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import type { CountsReading, StatisticsReader } from './statistics.ts'

/** What is counted beside the items of each scope, as far as it is declared. */
export interface FurtherCounts {
  /** Of all scopes together: reads one shard at a time. */
  readonly across?: StatisticsReader
  /** Of each scope by day. */
  readonly byDay?: Shape
  /** Of all scopes by day. */
  readonly byDayAcross?: Shape
}

interface FurtherShapes extends Pick<FurtherCounts, 'byDay' | 'byDayAcross'> {
  readonly across?: Shape
}

export function furtherShapes(collection: Collection, layout: Pick<CollectionLayout, 'indexes'>): FurtherShapes {
  const across = countsAcrossShape(collection, layout)
  const days = countsByDayShapes(collection)
  const byDay = days.find(({ name }) => name === COUNTS_BY_DAY)
  const byDayAcross = days.find(({ name }) => name !== COUNTS_BY_DAY)
  return { ...(across && { across }), ...(byDay && { byDay }), ...(byDayAcross && { byDayAcross }) }
}

/** The names of the shards of what is counted of all scopes. */
export function shardNames({ statistics: { across = 0 } }: Pick<Collection, 'statistics'>): readonly string[] {
  return Array.from({ length: across }, (_, shard) => String(shard))
}

/** Reads the counts of all scopes. */
export async function readAcross(collection: Collection, across: StatisticsReader): Promise<CountsReading> {
  const readings = await Promise.all(shardNames(collection).map((shard) => across.read(shard)))
  const entries = readings.flatMap((reading) => reading.entries)
  const statistics = scopeStatistics(collection, entries)
  const latest = readings.flatMap(({ asOf }) => asOf ?? []).toSorted()
  return {
    ...{ entries, statistics, asOf: latest.at(-1) ?? null },
    unknown: readings.find(({ unknown }) => unknown !== undefined)?.unknown,
    rcu: readings.reduce((sum, { rcu }) => sum + rcu, 0),
    requests: readings.reduce((sum, { requests }) => sum + requests, 0),
    rounds: Math.max(...readings.map(({ rounds }) => rounds)),
  }
}
