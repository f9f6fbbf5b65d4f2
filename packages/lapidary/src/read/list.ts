import type { Item } from '../model/collection.ts'
import type { Query, QueryInput } from '../model/query.ts'
import { parseQuery } from '../model/query.ts'
import type { Plan } from '../planner/plan.ts'
import { asStep } from '../table/observer.ts'
import { besideOf, pending, readAlong } from './along.ts'
import type { AskedTotal } from './asked-total.ts'
import { chosenAttributes } from './chosen-attributes.ts'
import type { ReadContext } from './context.ts'
import { HAVING_BYTES, requireHaving } from './having.ts'
import { learnFrom } from './learn.ts'
import type { ListOptions, ReadOptions } from './list-options.ts'
import { type Page, pageOf } from './page.ts'
import { planKnown, recentAt } from './plan-known.ts'
import { readCounts } from './query-counts.ts'
import { run, usableNow } from './run.ts'
import { pointOf, type Start, skippedBy, startAfter } from './start.ts'
import { untilAborted } from './until-aborted.ts'
import { expectedWritten, readWritten, requireWritten, withWritten } from './written.ts'

/** Reads one page: from the first item, or from where a cursor leads. */
export async function listPage(
  context: ReadContext,
  input: QueryInput,
  { cursor, ...options }: ListOptions = {},
): Promise<Page<Item>> {
  requireHaving(options)
  const { having } = options
  const asked = parseQuery(context.collection, input)
  const query: Query = having === undefined ? asked : Object.freeze({ ...asked, having: true })
  const reading = having === undefined ? options : { maxBytes: HAVING_BYTES, ...options, counts: false }
  return readPage(context, query, startAfter(context, query, cursor), reading)
}

/** Plans a query without running it. */
export async function planList(context: ReadContext, input: QueryInput): Promise<Plan> {
  const query = parseQuery(context.collection, input)
  const [unusable] = await Promise.all([usableNow(context, undefined), readCounts(context, query)])
  return planKnown(context, query, unusable, recentAt(context, query, undefined))
}

/**
 * Reads the page at a start: its lists, and beside them what is counted.
 *
 * @param total Asks the page index for the total; the first page asks where the counts can't say it.
 */
export async function readPage(
  context: ReadContext,
  query: Query,
  start: Start,
  options: ReadOptions,
  total?: AskedTotal | undefined,
): Promise<Page<Item>> {
  const chosen = chosenAttributes(context, options.attributes, 'list', Object.keys(query.whole ?? {}))
  const asksTotal = start.kind === 'first' && options.counts !== false
  const asked = asksTotal ? context.askLackingTotal?.(context, query) : total
  const ids = requireWritten(options.written)
  const expected = expectedWritten(ids)
  const writing =
    ids.length === 0
      ? undefined
      : pending(
          expected,
          untilAborted(
            asStep(context.table, { name: 'written' }, () => readWritten(context, query, ids, options)),
            options.signal,
          ),
        )
  const spent = (): number => writing?.rcu() ?? 0
  const { maxCapacity } = options
  const left = maxCapacity === undefined || writing === undefined ? maxCapacity : maxCapacity - expected.rcu
  const reads = readAlong(context, query, start, asked, { ...options, maxCapacity: left })
  const { planned } = reads
  const beside = (): number => reads.spent() + spent()
  const running = run(context, query, start, { options, project: chosen?.storedIn, beside, planned })
  const listsRcu = async (): Promise<number> => (await running).execution.actual.rcu
  const [ran, along, written] = await Promise.all([running, reads.end(listsRcu), writing?.answer])
  // Entries of which a part was read don't tell what they weigh.
  if (chosen === undefined && query.having === undefined) learnFrom(context, query, start, ran)
  const toItem = (chosen ?? context.codec).toItem
  if (writing === undefined || written === undefined) return pageOf(context, query, start, ran, along, toItem)
  const besides = [...along.besides, besideOf('written', `GET ${ids.length} WRITTEN`, 'along', writing, written)]
  const whole = { ...query, limit: skippedBy(start) + query.limit }
  const execution = withWritten(ran.execution, whole, pointOf(start), written)
  return pageOf(context, query, start, { ...ran, execution }, { ...along, besides }, toItem)
}
