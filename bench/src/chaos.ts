import { type ChaosReport, chaos as runChaos } from '../../test/chaos/chaos.ts'
import { TROUBLE } from '../../test/chaos/trouble.ts'
import type { BenchContext } from './bench.ts'
import { rounded } from './measure.ts'
import type { Report } from './report.ts'

/** Over all layouts. */
const REQUESTS = 50_000
const QUICK_REQUESTS = 600
const LAYOUTS = ['indexes', 'power-set'] as const
/** Errors of the server's own; 503 is said on purpose. */
const UNFORESEEN = 500

type Named = ChaosReport & { readonly layout: string }

/** The comments application in two processes that are killed and stopped, on a database behind a hostile proxy, in each layout, and everything counted again. */
export async function chaos({ seed, quick, requests }: BenchContext): Promise<Report> {
  const most = requests ?? (quick ? QUICK_REQUESTS : REQUESTS)
  const reports: Named[] = []
  for (const layout of LAYOUTS) {
    const report = await runChaos({
      layout,
      requests: Math.ceil(most / LAYOUTS.length),
      trouble: TROUBLE,
      seed,
    })
    console.log(`${layout}: ${JSON.stringify(report.answers)}`)
    for (const wrong of report.wrong.slice(0, 20)) console.log(`wrong in ${layout}: ${wrong}`)
    reports.push({ ...report, layout })
  }
  const sumOver = (of: (report: Named) => number): number => reports.reduce((sum, report) => sum + of(report), 0)
  return {
    tables: [
      {
        title: 'Requests by the status of their answers, and what became of the calls to the database',
        columns: [
          'layout',
          'requests',
          '2xx',
          '4xx',
          '503',
          'of these 500',
          'comments left',
          'calls',
          'refused or lost, %',
        ],
        rows: reports.map((report) => [
          report.layout,
          answersOf(report),
          answersOf(report, (status) => status < 300),
          answersOf(report, (status) => status >= 400 && status < 500),
          answersOf(report, (status) => status === 503),
          answersOf(report, (status) => status === UNFORESEEN),
          report.comments,
          sumOf(report.calls),
          rounded((100 * sumOf(report.befallen)) / sumOf(report.calls), 1),
        ]),
      },
      {
        title: 'Calls that were refused or lost, by operation',
        columns: ['operation', ...LAYOUTS],
        rows: operationsOf(reports).map((operation) => [
          operation,
          ...reports.map(({ befallen }) => befallen[operation] ?? 0),
        ]),
      },
    ],
    targets: [
      { name: 'requests', value: sumOver((report) => answersOf(report)), limit: most, kind: 'at least' },
      {
        name: 'answers 500',
        value: sumOver((report) => answersOf(report, (status) => status === UNFORESEEN)),
        limit: 0,
        kind: 'at most',
      },
      {
        name: 'wrong answers, lost writes and wrong counts',
        value: sumOver(({ wrong }) => wrong.length),
        limit: 0,
        kind: 'at most',
      },
    ],
    figures: reports,
  }
}

function answersOf({ answers }: ChaosReport, isMeant: (status: number) => boolean = () => true): number {
  return Object.values(answers)
    .flatMap((byStatus) => Object.entries(byStatus))
    .reduce((sum, [status, count]) => sum + (isMeant(Number(status)) ? count : 0), 0)
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function operationsOf(reports: readonly ChaosReport[]): readonly string[] {
  return [...new Set(reports.flatMap(({ befallen }) => Object.keys(befallen)))].sort()
}
