import { parseArgs } from 'node:util'

/** The arguments of `npm run bench`. */
export interface BenchArguments {
  /** The benches; all where none is named. */
  readonly named: readonly string[]
  readonly quick: boolean
  readonly seed: number
  readonly requests: number | undefined
  readonly minutes: number | undefined
}

const OPTIONS = {
  help: { type: 'boolean' },
  quick: { type: 'boolean' },
  seed: { type: 'string' },
  requests: { type: 'string' },
  minutes: { type: 'string' },
} as const

/** Reads the arguments. `--help` prints what there is and ends the process; what is not known ends it with 2. */
export function benchArguments(words: readonly string[], benches: readonly string[]): BenchArguments {
  const usage = [
    'usage: npm run bench -- [NAME]… [--quick] [--seed N] [--requests N] [--minutes N]; without a name all of them, for an hour',
    '--quick shows that a bench runs, and keeps no figures; --requests and --minutes are of soak and attack',
    `the benches are ${benches.join(', ')}`,
  ].join('\n')
  const refuse = (problem: string): never => {
    console.error(`bench: ${problem}\n${usage}`)
    process.exit(2)
  }
  const { values, positionals: named } = parsed(words, refuse)
  if (values.help === true) {
    console.log(usage)
    process.exit(0)
  }
  const unknown = named.filter((name) => !benches.includes(name))
  if (unknown.length > 0) refuse(`there is no bench ${unknown.join(', ')}`)
  const number = (option: 'seed' | 'requests' | 'minutes'): number | undefined => {
    const text = values[option]
    if (text === undefined) return undefined
    return /^\d+$/.test(text) ? Number(text) : refuse(`--${option} is ${text}; it takes a whole number`)
  }
  const { quick = false } = values
  return { named, quick, seed: number('seed') ?? 1, requests: number('requests'), minutes: number('minutes') }
}

function parsed(words: readonly string[], refuse: (problem: string) => never) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    // Its first sentence says what; the others are of how options are written in general.
    return refuse((error as Error).message.split('. ')[0] ?? '')
  }
}
