import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 200

/**
 * Fills a folder once a run, for all files of tests, whichever worker they are in: the first that asks makes it, and the others wait. It goes with
 * the run's temporary folder. Nobody changes what is in it; a test may add files.
 */
export async function onceARun(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(tmpdir(), `once-${name}`)
  const outcome = `${folder}.outcome`
  if (isFirst(folder)) {
    const failure = await fill(folder).then(
      () => '',
      (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    )
    writeFileSync(outcome, JSON.stringify(failure), { flush: true })
  }
  while (!existsSync(outcome) || readFileSync(outcome, 'utf8') === '') await sleep(LOOK_MS)
  const failure = JSON.parse(readFileSync(outcome, 'utf8')) as string
  if (failure !== '') throw new Error(`${name} could not be made: ${failure}`)
  return folder
}

/** Makes the folder: of all that try, one succeeds. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
