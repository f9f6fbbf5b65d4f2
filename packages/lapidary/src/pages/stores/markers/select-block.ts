import type { TableClient } from '../../../table/table-client.ts'
import type { Place } from '../../place.ts'
import { selectRankAfar } from '../../selection.ts'
import type { RankAnswer, RankQuestion } from '../../sorted-lists.ts'
import { type SearchedBlocks, searchBlocks, TornBlocks } from './searched-blocks.ts'

/** Finds an entry by the stamps of blocks. Of several groups, an entry near it in one is looked up in all, until it is the one. */
export async function selectInBlocks(
  table: TableClient,
  partitions: readonly string[],
  question: RankQuestion,
  consistent: boolean,
): Promise<RankAnswer | 'torn'> {
  try {
    const { includes } = question
    const groups = await Promise.all(partitions.map((each) => searchBlocks(table, each, includes, consistent)))
    return await selectInGroups(groups, question)
  } catch (error) {
    if (error instanceof TornBlocks) return 'torn'
    throw error
  }
}

async function selectInGroups(
  groups: readonly SearchedBlocks[],
  { lower, upper, ascending, offset }: RankQuestion,
): Promise<RankAnswer> {
  let rounds = 1
  /** Groups are read side by side: in as many rounds as the one that takes most. */
  const ofEach = async <T>(ask: (group: SearchedBlocks, i: number) => T | Promise<T>): Promise<readonly T[]> => {
    const before = groups.map(({ took }) => took.rounds)
    const answers = await Promise.all(groups.map(ask))
    rounds += Math.max(...groups.map(({ took }, i) => took.rounds - (before[i] ?? 0)))
    return answers
  }
  const lows = await ofEach((group) => (lower === undefined ? 0 : group.rankOf(lower)))
  const highs = await ofEach((group) => (upper === undefined ? group.all : group.rankOf(upper)))
  const sizes = lows.map((low, i) => Math.max(0, (highs[i] ?? 0) - low))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const lowOf = (i: number): number => lows[i] ?? 0
  const placeAt = async (list: number, rank: number): Promise<Place> => {
    const places = await ofEach((group, i) => (i === list ? group.placeAt(lowOf(i) + rank) : undefined))
    return places[list] as Place
  }
  const ranks = (place: Place): Promise<readonly number[]> =>
    ofEach(async (group, i) => (await group.rankOf(place)) - lowOf(i))
  const rank = ascending ? offset : total - 1 - offset
  const place = offset < total ? await selectRankAfar({ sizes, at: placeAt, ranks }, rank) : undefined
  return { total, place, rcu: groups.reduce((sum, { took }) => sum + took.rcu, 0), rounds }
}
