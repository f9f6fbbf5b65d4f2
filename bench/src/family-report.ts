import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { PRODUCT } from './comments.ts'
import { countsRegister } from './counts-register.ts'
import { FAMILIES, familyComments } from './families.ts'
import { type FamilyFigures, measureFamily } from './family-lists.ts'
import { rounded } from './measure.ts'
import { memoryLists } from './memory-lists.ts'
import { seededRandom } from './random.ts'
import type { FigureTable, Target } from './report.ts'
import { statisticsItems } from './statistics-items.ts'
import { entryOf, openCommentsTable, storeComments, TABLE_NAME } from './stored-comments.ts'

export const FAMILY_COLUMNS = [
  'data',
  'planned on',
  'RCU / clairvoyant',
  'RCU / least',
  'rounds',
  'used / expected RCU',
  'RCU a page',
  'clairvoyant',
]

export function familyRow(figures: FamilyFigures): readonly (string | number)[] {
  return [
    figures.family,
    figures.counted ? 'counts' : 'reads',
    rounded(figures.overClairvoyant),
    rounded(figures.overLeast),
    rounded(figures.rounds),
    rounded(figures.usedOverExpected),
    rounded(figures.rcu, 2),
    rounded(figures.clairvoyantRcu, 2),
  ]
}

/** Pages of every family of data, each on an engine of its own. */
export async function families(
  seed: number,
  quick: boolean,
): Promise<{ readonly table: FigureTable; readonly targets: readonly Target[]; readonly figures: unknown }> {
  const measured: FamilyFigures[] = []
  const targets: Target[] = []
  for (const family of FAMILIES) {
    const comments = familyComments(family, quick ? 1_500 : 12_000, seededRandom(seed))
    const lists = memoryLists(comments)
    await using table = await openCommentsTable()
    await storeComments(table.client, comments.map(entryOf))
    const { items, partition } = await countsRegister()
    for (const Item of [...items, ...statisticsItems(comments, partition(PRODUCT))])
      await table.client.send(new PutItemCommand({ TableName: TABLE_NAME, Item }))
    for (const counted of family.counted) {
      const options = { client: table.client, lists, counted, pages: quick ? 1 : 20, random: seededRandom(seed + 100) }
      const figures = await measureFamily(family, options)
      measured.push(figures)
      targets.push(...targetsOf(figures, family.reach))
    }
  }
  return {
    table: {
      title: `Families of data, ${quick ? 1 : 20} pages of each filter, 20 comments each unless it says otherwise`,
      columns: FAMILY_COLUMNS,
      rows: measured.map(familyRow),
    },
    targets,
    figures: measured,
  }
}

function targetsOf(
  { family, counted, overClairvoyant, rounds, usedOverExpected }: FamilyFigures,
  reach: (typeof FAMILIES)[number]['reach'],
): readonly Target[] {
  if (reach === undefined) return []
  const name = `${family}${counted ? ', on counts' : ''}`
  return [
    {
      name: `${name}: RCU over the clairvoyant's`,
      value: overClairvoyant,
      limit: reach.overClairvoyant,
      kind: 'at most',
    },
    { name: `${name}: rounds`, value: rounds, limit: reach.rounds, kind: 'at most' },
    {
      name: `${name}: used over expected RCU, off 1 by`,
      value: Math.abs(usedOverExpected - 1),
      limit: 0.05,
      kind: 'at most',
    },
  ]
}
