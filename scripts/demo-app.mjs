// Runs the application with demo data in a folder of its own, and Chromium to look at it.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withChromium } from './chromium.mjs'

const MAIN = fileURLToPath(new URL('../apps/comments/dist/main.js', import.meta.url))

/** Starts both, calls `use(browser, address)`, and ends both. */
export async function withDemoApp(use) {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  const env = { ...process.env, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn' }
  const app = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => app.once('exit', resolve))
  try {
    const address = await addressOf(app)
    await withChromium((browser) => use(browser, address))
  } finally {
    app.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function addressOf(app) {
  for await (const line of createInterface({ input: app.stdout })) {
    const address = /^listening on (\S+)/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('the application ended before it listened; run npm run build first')
}
