import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../architecture/sources.ts'

/** A page that a reader pastes into an empty folder, from its top to its end. */
export interface Guide {
  /** The files that it gives, by the name in each one's first line. */
  readonly files: ReadonlyMap<string, string>
  readonly commands: readonly GuideCommand[]
  /** Blocks of code that name no file: a reader could not tell where they belong. */
  readonly nameless: readonly string[]
}

/** A command that a page tells its reader to run. */
export interface GuideCommand {
  readonly line: string
  /** What the page says that it prints. */
  readonly prints?: string
}

/** The languages of what is pasted into a file; a block of another one is a command, or what it prints. */
const IN_FILES = new Set(['ts', 'tsx', 'js', 'json', 'html', 'graphql'])

/** Reads a page of docs/, such as `guides/orders.md`. */
export async function readGuide(page: string): Promise<Guide> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8')
  const files = new Map<string, string>()
  const commands: GuideCommand[] = []
  const nameless: string[] = []
  for (const [, language = '', code = ''] of text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)) {
    const name = /^(?:\/\/|#|<!--) (\S+\.\w+)(?: -->)?\n/.exec(code)?.[1]
    const last = commands.at(-1)
    if (language === 'sh') for (const line of code.trim().split('\n')) commands.push({ line })
    else if (language === '' && last !== undefined) commands.splice(-1, 1, { ...last, prints: code })
    else if (IN_FILES.has(language) && name !== undefined) files.set(name, code)
    else nameless.push(code)
  }
  return { files, commands, nameless }
}
