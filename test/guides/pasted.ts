import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../architecture/sources.ts'
import { outside } from '../package/packages.ts'
import type { Guide } from './guide.ts'

/** Milliseconds after which a command that hangs is ended. */
const HANGS = 500_000
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** A guide in a folder of its own, below the one where its packages are installed. */
export interface Pasted {
  readonly folder: string
  /** Runs a command of the page; returns what it printed. */
  run(line: string, env?: Readonly<Record<string, string>>): Promise<string>
  /** Starts a command that serves until it is ended; waits for the address that it prints. */
  serve(line: string): Promise<Served>
  /** Compiles the page's files, strictly; returns the compiler's messages. */
  compile(): Promise<string>
}

/** A server that a page has started. */
export interface Served extends AsyncDisposable {
  readonly address: string
}

/** Writes a guide's files as a reader would. */
export async function paste(guide: Guide, folder: string): Promise<Pasted> {
  for (const [name, text] of guide.files) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const env = { ...outside(), NODE_NO_WARNINGS: '1', NEXT_TELEMETRY_DISABLED: '1', CI: '1' }
  // Each in a group of its own, so that it ends with the programs that npx has started.
  const start = (line: string, more: Readonly<Record<string, string>>): ChildProcess =>
    spawn('bash', ['-c', line], {
      ...{ cwd: folder, env: { ...env, ...more }, detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    folder,
    run: (line, more = {}) => printedBy(start(line, more), line),
    async serve(line) {
      const child = start(line, { PORT: '0' })
      return { address: await addressOf(child), [Symbol.asyncDispose]: () => end(child) }
    },
    async compile() {
      if (![...guide.files.keys()].some((name) => /\.m?tsx?$/.test(name))) return ''
      const own = guide.files.has('tsconfig.json')
      if (!own) {
        const compilerOptions = {
          ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', types: ['node'] },
          ...{ strict: true, noUncheckedIndexedAccess: true, allowImportingTsExtensions: true, noEmit: true },
        }
        await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts', '*.ts'] }))
      }
      const options = { cwd: folder, timeout: HANGS, env }
      return promisify(execFile)(process.execPath, [TSC, '-p', '.', '--pretty', 'false'], options).then(
        () => '',
        ({ stdout, message }) => String(stdout || message),
      )
    },
  }
}

/** Waits until a program has ended well; returns what it printed on standard output. */
async function printedBy(child: ChildProcess, line: string): Promise<string> {
  const printed = { out: '', all: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    printed.out += chunk
    printed.all += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    printed.all += chunk
  })
  const hanging = setTimeout(() => void end(child), HANGS)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(hanging)
  if (code !== 0) throw new Error(`${line} ended with ${code ?? `a signal after ${HANGS} ms`}:\n${printed.all}`)
  return printed.out
}

async function addressOf(child: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk
      const address = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(printed)?.[0]
      if (address !== undefined) resolve(address.replace('localhost', '127.0.0.1'))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', () => reject(new Error(`it ended: ${printed}`)))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.kill(-child.pid, 'SIGKILL')
  await ended
}
