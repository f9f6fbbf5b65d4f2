import { parseArgs } from 'node:util'

/**
 * What a script was given, as `parseArgs` of Node gives it. `--help` prints the usage and ends it; what it does not know is refused with
 * the usage, before anything is done.
 */
export function scriptArguments(name, usage, { options = {}, allowPositionals = false } = {}) {
  const parsed = parsedBy(name, usage, { options: { help: { type: 'boolean' }, ...options }, allowPositionals })
  if (parsed.values.help === true) showUsage(usage)
  return parsed
}

/** Of a script that passes its options on, only `--help` in the first place is its own. */
export function helpFirst(usage) {
  if (process.argv[2] === '--help') showUsage(usage)
}

/** Ends a script that was called wrongly. */
export function refuse(name, problem, usage) {
  console.error(`${name}: ${problem}\n${usage}`)
  process.exit(2)
}

function parsedBy(name, usage, config) {
  try {
    return parseArgs(config)
  } catch (error) {
    // Its first sentence says what; the others are of how options are written in general.
    return refuse(name, error.message.split('. ')[0], usage)
  }
}

function showUsage(usage) {
  console.log(usage)
  process.exit(0)
}
