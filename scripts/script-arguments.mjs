import { parseArgs } from 'node:util'

/**
 * Parses a script's arguments by Node's `parseArgs`. `--help` prints the usage and ends the script; an unknown argument is refused with the
 * usage, before anything is done.
 */
export function scriptArguments(name, usage, { options = {}, allowPositionals = false } = {}) {
  const parsed = parsedBy(name, usage, { options: { help: { type: 'boolean' }, ...options }, allowPositionals })
  if (parsed.values.help === true) showUsage(usage)
  return parsed
}

/** Handles `--help` in the first place, for a script that passes all other options on. */
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
    // Its first sentence names the problem; the others explain how options are written in general.
    return refuse(name, error.message.split('. ')[0], usage)
  }
}

function showUsage(usage) {
  console.log(usage)
  process.exit(0)
}
