import type { Advice, PricedLayout, PricedPageIndex } from 'lapidary-adviser'
import { textTable } from './text-table.ts'

/** Writes the output of `lapidary advise`: a row for each layout, the reasons for the choice, and the declaration. */
export function adviceReport(advice: Advice, columns: number): string {
  const { choice, layouts, refused, reason, search, prices } = advice
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
  return [
    textTable(header, layouts.map(row), columns, 1),
    ...refused.map(({ name, reason: why }) => `${name}: refused, ${why}`),
    ...reason,
    coverage(search),
    ...pagesReport(advice.pages, columns),
    ...(choice.indexes === undefined ? [] : ['', 'Declare it:', '', declaration(choice.indexes)]),
    ...(choice.codec === undefined ? [] : [`codec: ${choice.codec}, see docs/smaller-items.md`]),
    '',
    `Dollars a month, ${prices.region}, prices of ${prices.date} (${prices.source}); the hottest partition as a share of 1000 write or 3000 read units a second. Servers, disks and S3: prices of ${prices.stores.date} (${prices.stores.source}). Streams, Lambda and backups are extra.`,
    '',
  ].join('\n')
}

/** Says which sets were tried, and what that proves. */
function coverage({ indexes, considered, priced, proven, milliseconds }: Advice['search']): string {
  const sets = `${indexes} indexes in all their sets, ${priced.toLocaleString('en')} of them priced`
  if (proven) return `${sets}; the others can't be cheaper: no other set of them is cheaper.`
  const left = considered < indexes ? `, with ${indexes - considered} of the indexes left out` : ''
  return `${sets} in ${Math.round(milliseconds / 1000)} s${left}: the search ended early, and other sets may be cheaper; --seconds gives it longer.`
}

/** Writes a row for each page index, whatever the layout. */
function pagesReport({ choice, reason, indexes, refused }: Advice['pages'], columns: number): readonly string[] {
  const header = ['page index', 'WU/write', 'RU/look-up', 'writes', 'reads', 'storage', 'beside', 'on demand']
  const row = ({ name, unitsPerWrite, unitsPerLookUp, price, hottest }: PricedPageIndex): readonly unknown[] => [
    ...[name, unitsPerWrite.toFixed(2), unitsPerLookUp.toFixed(2)],
    ...[price.writes, price.reads, price.storage, price.beside, price.onDemand, price.provisioned].map(
      (part) => `$${part.toFixed(2)}`,
    ),
    `${(100 * hottest).toFixed(1)} %`,
  ]
  return [
    '',
    textTable([...header, 'provisioned', 'hottest'], indexes.map(row), columns, 1),
    ...refused.map(({ name, reason: why }) => `${name}: refused, ${why}`),
    `Page index: ${choice}. ${reason}`,
  ]
}

/** Writes the indexes as `defineCollection` takes them. */
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
