import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Collection, type Item, LapidaryError } from 'lapidary'
import { exportItems } from 'lapidary/transfer'
import {
  type AdviseOptions,
  advise,
  type CapacityMode,
  checkedPrices,
  type Prices,
  type QueryShare,
  type Workload,
} from 'lapidary-adviser'
import { adviceReport } from '../advice-report.ts'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { type CommonOptions, UsageError, wholeNumber } from '../options.ts'
import { startProgress } from '../progress.ts'
import { loadDeclared, openSession } from '../session.ts'

interface AdviseFlags extends CommonOptions {
  readonly writesPerSecond?: number
  readonly readsPerSecond?: number
  readonly itemBytes?: number
  readonly workload?: string
  readonly log?: string
  readonly pageShare?: number
  readonly sample?: number
  readonly prices?: string
  readonly mode: 'on-demand' | 'provisioned'
  readonly utilisation?: number
  readonly seconds: number
}

const MOST_SECONDS = 86_400

/** `lapidary advise --writes-per-second 5 --reads-per-second 200 --item-bytes 500`. */
export const adviseCommand: CliCommand = {
  register(program, run) {
    program
      .command('advise')
      .description('compare layouts by the price of a workload, and name the one to use')
      .option('--writes-per-second <n>', 'items written a second, on average', amount)
      .option('--reads-per-second <n>', 'pages read a second, on average', amount)
      .option('--item-bytes <n>', 'bytes of an item that lists show', amount)
      .option('--workload <file>', 'more of the workload, as JSON: shares of writes, queries, scopes, values')
      .option('--log <file>', 'real queries, a line of JSON each: {"where": {"language": "en"}, "limit": 20}')
      .option('--sample <n>', 'take sizes and values from this many items of the table', wholeNumber(1))
      .option('--page-share <share>', 'share of the reads that ask for a page by its number, 0 to 1', amount)
      .option('--prices <file>', 'other prices, as JSON; those of us-east-1 when not given')
      .addOption(
        new Option('--mode <mode>', 'the price to minimise').choices(['on-demand', 'provisioned']).default('on-demand'),
      )
      .option('--utilisation <share>', 'share of provisioned capacity that the mean load uses; 0.7', amount)
      .option('--seconds <n>', 'time for the search among sets of indexes', wholeNumber(1, MOST_SECONDS), 30)
      .action((_flags: unknown, command: Command) => runAdvise(optionsOf(command), run))
  },
}

async function runAdvise(flags: AdviseFlags, { terminal }: CommandRun): Promise<void> {
  const { collection } = await loadDeclared(flags)
  const { itemBytes, utilisation } = flags
  const workload = await workloadOf(flags)
  const stored =
    flags.sample === undefined
      ? undefined
      : await storedItems(collection, await sampleOf(flags, flags.sample), terminal)
  const queries = flags.log === undefined ? undefined : loggedQueries(flags.log, await readFile(flags.log, 'utf8'))
  const prices = flags.prices === undefined ? undefined : checkedPrices(await readJson(flags.prices))
  const mode: CapacityMode = flags.mode === 'provisioned' ? 'provisioned' : 'onDemand'
  const { seconds } = flags
  const progress = startProgress('searching', 1000 * seconds)
  const given = {
    ...workload,
    ...(itemBytes === undefined ? {} : { itemBytes }),
    ...(stored === undefined ? {} : { items: stored.items }),
    ...(queries === undefined ? {} : { queries }),
    ...(flags.pageShare === undefined ? {} : { pages: { ...workload.pages, share: flags.pageShare } }),
  }
  const advice = await advise(collection, given, {
    ...{ mode, seconds, signal: terminal.signal },
    onProgress: ({ milliseconds, sets }) =>
      progress.update(milliseconds, `${sets.toLocaleString('en')} sets of indexes priced`),
    ...(stored === undefined ? {} : { codecs: stored.codecs }),
    ...(prices === undefined ? {} : { prices: prices as Prices }),
    ...(utilisation === undefined ? {} : { utilisation }),
  })
    .catch(asWorkloadUsage)
    .finally(() => progress.stop())
  await terminal.write(flags.json === true ? `${JSON.stringify(advice)}\n` : adviceReport(advice, terminal.columns))
}

/** Takes the first items of a scan as a sample: it returns items in the order of the hashes of their keys, so the first are as good as any. */
async function sampleOf(flags: AdviseFlags, most: number): Promise<readonly Item[]> {
  await using session = await openSession(flags)
  await session.requireTable()
  const items: Item[] = []
  for await (const page of exportItems(session.items)) {
    items.push(...(page as readonly Item[]))
    if (items.length >= most) break
  }
  return items.slice(0, most)
}

/** One item in this many trains a dictionary; the others show what it saves, and serve for everything else. */
const TAUGHT = 2

/** Returns every way to store items: as declared, packed, and deflated with a dictionary from items that are not among the priced ones. */
async function storedItems(
  collection: Collection,
  sample: readonly Item[],
  terminal: CommandRun['terminal'],
): Promise<{ readonly items: readonly Item[]; readonly codecs: NonNullable<AdviseOptions['codecs']> }> {
  const { codec: declared } = collection
  const own = declared === undefined ? {} : { 'as declared': declared }
  const codecs = await import('lapidary/codecs').catch(() => undefined)
  const taught = sample.filter((_, i) => i % TAUGHT === 0)
  const items = sample.filter((_, i) => i % TAUGHT !== 0)
  if (codecs === undefined || items.length === 0) return { items: sample, codecs: own }
  const dictionary = dictionaryOf(() => terminal.busy(() => codecs.trainDictionary(collection, taught)))
  const deflated = dictionary && { deflated: codecs.deflated({ dictionaries: [dictionary] }) }
  return { items, codecs: { ...own, packed: codecs.packed(), ...deflated } }
}

/** Returns the dictionary; undefined where nothing repeats. */
function dictionaryOf(train: () => Uint8Array): Uint8Array | undefined {
  try {
    return train()
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'bad_request') return undefined
    throw error
  }
}

/** Reads each filter and page size of the log, with its share. */
function loggedQueries(file: string, text: string): readonly QueryShare[] {
  const counts = new Map<string, number>()
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  for (const [i, line] of lines.entries()) {
    const { where = {}, by, limit, order } = parsedObject(`line ${i + 1} of ${file}`, line) as Partial<QueryShare>
    const query = JSON.stringify({ where, by, limit, order })
    counts.set(query, (counts.get(query) ?? 0) + 1)
  }
  return [...counts].map(([query, count]) => ({ ...JSON.parse(query), share: count / lines.length }))
}

/** Reads the workload file; flags win over it. */
async function workloadOf({ workload: file, writesPerSecond, readsPerSecond }: AdviseFlags): Promise<Workload> {
  const given = file === undefined ? {} : ((await readJson(file)) as Partial<Workload>)
  const rate = (flag: string, value: number | undefined): number => {
    if (value !== undefined) return value
    throw new UsageError(`advise needs ${flag}, or a --workload file that has it`)
  }
  return {
    ...given,
    writesPerSecond: rate('--writes-per-second', writesPerSecond ?? given.writesPerSecond),
    readsPerSecond: rate('--reads-per-second', readsPerSecond ?? given.readsPerSecond),
  }
}

/** Turns an error about the workload into wrong usage: the user typed it, or wrote it in the file. */
function asWorkloadUsage(error: unknown): never {
  throw error instanceof LapidaryError && error.code === 'bad_request' ? new UsageError(error.message) : error
}

async function readJson(file: string): Promise<unknown> {
  return parsedObject(file, await readFile(file, 'utf8'))
}

function parsedObject(what: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    throw new UsageError(`${what} is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new UsageError(`${what} has to hold a JSON object`)
}

function amount(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It takes a number.')
  return value
}
