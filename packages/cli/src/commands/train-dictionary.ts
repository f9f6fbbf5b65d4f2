import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Item, LapidaryError } from 'lapidary'
import { deflated, trainDictionary } from 'lapidary/codecs'
import { exportItems } from 'lapidary/transfer'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { jsonOf } from '../json-of.ts'
import { type CommonOptions, wholeNumber } from '../options.ts'
import { openSession } from '../session.ts'

interface TrainFlags extends CommonOptions {
  readonly items: number
  readonly bytes?: number
}

/** One item in this many is kept to try the dictionary on. */
const TRIED = 5

/** `lapidary train-dictionary comments.dict`. */
export const trainDictionaryCommand: CliCommand = {
  register(program, run) {
    program
      .command('train-dictionary')
      .argument('<file>', 'the file to write')
      .description('train a dictionary for the codec deflated() on items of the table')
      .option('--items <n>', 'how many items to learn from', wholeNumber(10), 5000)
      .option('--bytes <n>', 'the most bytes of the dictionary; 16384', wholeNumber(64, 32_768))
      .action((file: string, _flags: unknown, command: Command) => runTrain(file, optionsOf(command), run))
  },
}

async function runTrain(file: string, flags: TrainFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  await session.requireTable()
  const { collection } = session
  const items: Item[] = []
  for await (const page of exportItems(session.items)) {
    items.push(...(page as readonly Item[]))
    if (items.length >= flags.items || terminal.signal.aborted) break
  }
  const taken = items.slice(0, flags.items)
  const tried = taken.filter((_, i) => i % TRIED === 0)
  const learned = taken.filter((_, i) => i % TRIED !== 0)
  if (learned.length === 0) {
    throw new LapidaryError(
      'bad_request',
      `the table has ${count(items.length, 'item')}; a dictionary is made of hundreds`,
    )
  }
  const dictionary = terminal.busy(() =>
    trainDictionary(collection, learned, flags.bytes === undefined ? {} : { bytes: flags.bytes }),
  )
  const { pack } = deflated({ dictionaries: [dictionary] })
  const texts = tried.map((item) => Buffer.byteLength(jsonOf(item)))
  const packed = tried.map((item) => pack(item)?.byteLength ?? 0)
  const share = totalOf(packed) / totalOf(texts)
  await writeFile(file, dictionary, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new LapidaryError('bad_request', `${file} exists already; items may need it, so name another file`)
  })
  const answer = { file, bytes: dictionary.byteLength, learnedFrom: learned.length, triedOn: tried.length, share }
  await terminal.write(
    flags.json === true
      ? `${JSON.stringify(answer)}\n`
      : `${file}: ${answer.bytes} bytes, learned from ${count(learned.length, 'item')}; ${count(tried.length)} others take ${Math.round(100 * share)} % of their JSON\n`,
  )
}

function totalOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
