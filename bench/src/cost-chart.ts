import type { FigureTable } from './report.ts'

const LEAST_RCU = 1.5
const SCALE = 18
const LEFT = 230
const ROW = 74
const TOP = 78

/** A drawing of what a page of 20 costs by each way: its mean over the filters, and its worst filter. */
export function costChart({ tables }: { readonly tables: readonly FigureTable[] }): string {
  const found = tables.find(({ title }) => title.startsWith('Mean over the 62 filters'))?.rows ?? []
  const rows = found.map(([way, ...rest]) => [way === 'library' ? 'Lapidary' : way, ...rest])
  const bars = rows.map(([way, mean, worst, , rounds], i) =>
    bar(i, String(way), Number(mean), Number(worst), Number(rounds)),
  )
  const height = TOP + rows.length * ROW + 34
  const least = LEFT + LEAST_RCU * SCALE
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 ${height}" role="img" aria-labelledby="t" font-family="system-ui, sans-serif" font-size="15">
  <title id="t">Read units of a page of 20 comments: ${rows.map(([way, mean, worst]) => `${way} ${units(Number(mean))} on average, ${units(Number(worst))} for the worst filter`).join('; ')}.</title>
  <style>
    .paper { fill: #fbfcfb; stroke: #c9d3cf } .mean { fill: #0b7a5b } .worst { fill: #b9dccf } .least { stroke: #17211d; stroke-dasharray: 4 4 }
    text { fill: #17211d } .quiet { fill: #4d5b55; font-size: 13px } .head { font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #161b19; stroke: #3a4640 } .mean { fill: #4fd0a6 } .worst { fill: #24503f } .least { stroke: #e8efec }
      text { fill: #e8efec } .quiet { fill: #a9b8b1 }
    }
  </style>
  <rect class="paper" x="1" y="1" width="958" height="${height - 2}" rx="10"/>
  <text class="head" x="24" y="36">Read units of a page of 20 comments</text>
  <rect class="mean" x="540" y="24" width="14" height="14"/><text class="quiet" x="560" y="36">mean of 62 filters</text>
  <rect class="worst" x="690" y="24" width="14" height="14"/><text class="quiet" x="710" y="36">the worst filter</text>
${bars.join('\n')}
  <path class="least" d="M${least} ${TOP - 14} V${height - 34}"/><text class="quiet" x="${least - 4}" y="${height - 14}">${LEAST_RCU}: the least that 20 comments of 500 bytes can cost</text>
</svg>
`
}

function bar(i: number, way: string, mean: number, worst: number, rounds: number): string {
  const y = TOP + i * ROW
  const width = (over: number): number => Math.round(over * LEAST_RCU * SCALE)
  return [
    `  <text x="24" y="${y + 17}">${way}</text><text class="quiet" x="24" y="${y + 38}">${rounds} ${rounds === 1 ? 'round' : 'rounds'}</text>`,
    `  <rect class="mean" x="${LEFT}" y="${y}" width="${width(mean)}" height="22" rx="3"/><text x="${LEFT + width(mean) + 10}" y="${y + 17}">${units(mean)}</text>`,
    `  <rect class="worst" x="${LEFT}" y="${y + 26}" width="${width(worst)}" height="16" rx="3"/><text class="quiet" x="${LEFT + width(worst) + 10}" y="${y + 39}">${units(worst)}</text>`,
  ].join('\n')
}

function units(overLeast: number): string {
  return String(Number((overLeast * LEAST_RCU).toFixed(1)))
}
