// Runs the application with demo data in a folder of its own, and Chromium to look at it.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withChromium } from './chromium.mjs'

const CLI = fileURLToPath(new URL('../packages/cli/bin/lapidary.js', import.meta.url))
const MAIN = fileURLToPath(new URL('../apps/comments/dist/main.js', import.meta.url))

/** The admin's token of that application. */
export const ADMIN_TOKEN = 'the-admin-token-of-the-pictures'

/** Starts both, calls `use(browser, address, folder)`, with the folder of the database, and ends both. */
export async function withDemoApp(use) {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  const env = { ...process.env, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn', ADMIN_TOKEN }
  const app = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => app.once('exit', resolve))
  try {
    const address = await addressOf(app, /^listening on (\S+)/)
    await withChromium((browser) => use(browser, address, folder))
  } finally {
    app.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the studio on the same database, calls `use(address)`, and ends it. */
export async function withStudio(folder, use) {
  const env = { ...process.env, DATA_DIR: folder }
  const studio = spawn(process.execPath, [CLI, 'studio', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => studio.once('exit', resolve))
  try {
    await use(await addressOf(studio, /^studio on (\S+)/))
  } finally {
    studio.kill('SIGTERM')
    await ended
  }
}

async function addressOf(app, line) {
  for await (const text of createInterface({ input: app.stdout })) {
    const address = line.exec(text)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('the application ended before it listened; run npm run build first')
}
