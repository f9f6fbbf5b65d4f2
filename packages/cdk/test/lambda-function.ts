import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A function of a stack, in a process of its own. */
export interface LambdaFunction extends AsyncDisposable {
  /** @throws {Error} what the function throws. */
  invoke<T>(event: unknown): Promise<T>
}

const HOST = fileURLToPath(new URL('lambda-host.mjs', import.meta.url))

/** Starts the function in a bundle, with these variables and no others. */
export function startLambda(bundle: string, env: Readonly<Record<string, string>>): LambdaFunction {
  const variables = { ...env, NODE_NO_WARNINGS: '1' }
  // Lambda starts a function in its folder, so relative paths are from there.
  const child = spawn(process.execPath, [HOST, `${bundle}/index.mjs`], {
    ...{ cwd: bundle, env: variables },
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
  })
  const lines = createInterface({ input: child.stdio[3] as Readable })[Symbol.asyncIterator]()
  return {
    async invoke<T>(event: unknown) {
      child.stdin?.write(`${JSON.stringify(event)}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`the function in ${bundle} has ended`)
      const { answer, error } = JSON.parse(value) as { readonly answer: T; readonly error?: string }
      if (error !== undefined) throw new Error(error)
      return answer
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
