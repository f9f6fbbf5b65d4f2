import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a process whose processor is busy', async (signal) => {
  const terminal = new URL('../dist/terminal.js', import.meta.url).href
  const program = `import { openTerminal } from ${JSON.stringify(terminal)}
openTerminal().busy(() => { process.stdout.write('busy'); for (;;) {} })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill(signal)
  expect(await once(child, 'exit')).toEqual([null, signal])
})
