import type { Advice, PricedLayout } from 'lapidary/advisor'
import { textTable } from './text-table.ts'

/** What `lapidary advise` prints: a row for each layout, why the choice is the choice, and what to declare. */
export function adviceReport({ choice, layouts, refused, reason, search, prices }: Advice, columns: number): string {
  const header = ['layout', 'WU/write', 'RU/page', 'writes', 'reads', 'storage', 'on demand', 'provisioned', 'hottest']
  const row = (layout: PricedLayout): readonly unknown[] => {
    const { writes, reads, storage, onDemand, provisioned } = layout.price
    const figures = [layout.unitsPerWrite, layout.unitsPerRead].map((units) => units.toFixed(2))
    return [
      layout.name,
      ...figures,
      ...[writes, reads, storage, onDemand, provisioned].map((price) => `$${price.toFixed(2)}`),
      `${(100 * layout.hottest.share).toFixed(1)} %`,
    ]
  }
  const proven = search.proven ? 'no other set of them is cheaper' : 'the search ended early; other sets may be cheaper'
  return [
    textTable(header, layouts.map(row), columns, 1),
    ...refused.map(({ name, reason: why }) => `${name}: refused, ${why}`),
    ...reason,
    `${search.indexes} indexes were tried in all their sets: ${proven}.`,
    ...(choice.indexes === undefined ? [] : ['', 'Declare it:', '', declaration(choice.indexes)]),
    '',
    `Dollars a month, ${prices.region}, prices of ${prices.date} (${prices.source}); the hottest partition as a share of 1000 write or 3000 read units a second. Streams, Lambda and backups are extra.`,
    '',
  ].join('\n')
}

/** As `defineCollection` takes it. */
function declaration(indexes: NonNullable<PricedLayout['indexes']>): string {
  const lines = Object.entries(indexes).map(([name, { order, partition = [], sort = [], only = {} }]) => {
    const parts = [
      ...(order === undefined ? [] : [`order: ${JSON.stringify(order)}`]),
      ...(partition.length === 0 ? [] : [`partition: ${JSON.stringify(partition)}`]),
      ...(sort.length === 0 ? [] : [`sort: ${JSON.stringify(sort)}`]),
      ...(Object.keys(only).length === 0 ? [] : [`only: ${JSON.stringify(only)}`]),
    ]
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    return `  ${key}: ${parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`},`
  })
  return ['indexes: {', ...lines, '},'].join('\n')
}
