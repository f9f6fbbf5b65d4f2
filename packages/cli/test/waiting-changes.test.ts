import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type DynamoDbLocal, startDynamoDbLocal } from '../../../test/engines/dynamodb-local.ts'
import { type CliHome, finished, openCliHome } from './run-cli.ts'

const GENERATE = ['generate', '--products', '3', '--comments', '30', '--seed', '3']

const ENGINES: Readonly<Record<string, () => Promise<DynamoDbLocal | undefined>>> = {
  'the embedded engine': async () => undefined,
  'DynamoDB Local': startDynamoDbLocal,
}

describe.concurrent.each(Object.keys(ENGINES))('on %s', (name) => {
  async function openHome() {
    const local = await ENGINES[name]?.()
    const home = await openCliHome()
    const env = local === undefined ? {} : { DYNAMODB_ENDPOINT: local.endpoint }
    const run = (...args: string[]): ReturnType<CliHome['run']> => home.run(args, { env })
    return {
      ...{ home, env, run },
      async [Symbol.asyncDispose]() {
        await home[Symbol.asyncDispose]()
        await local?.[Symbol.asyncDispose]()
      },
    }
  }

  it('verify and doctor fail while changes wait that nothing counts, unless that is allowed', async () => {
    await using setting = await openHome()
    const { run } = setting
    await run(...GENERATE)
    const verified = await run('verify')
    // That nothing is counted yet is no difference.
    expect(verified.stdout).toContain('no differences')
    expect(verified.stdout).toMatch(
      /30 changes not counted, the first \d+ s old; nothing counts them\n {2}do: run the server or lapidary stream, or deploy the Lambda/,
    )
    expect(verified.code).toBe(1)
    const examined = await run('doctor', '--json')
    const ofStream = { check: 'stream', ok: false, remedy: expect.stringContaining('lapidary stream') }
    expect(JSON.parse(examined.stdout).findings).toContainEqual(expect.objectContaining(ofStream))
    expect(examined.code).toBe(1)

    const allowed = await run('verify', '--allow-behind', '--json')
    expect(JSON.parse(allowed.stdout)).toMatchObject({ behind: true, differenceCount: 0 })
    expect(allowed.code).toBe(0)
  })

  it('they do not while something counts, however busy the table is', async () => {
    await using setting = await openHome()
    const { home, env, run } = setting
    await run(...GENERATE)
    const follower = home.start(['stream'], { env })
    const followed = finished(follower)
    if (follower.stderr !== null) await once(follower.stderr, 'data')
    const busy = { ended: false }
    const writes = (async () => {
      for (let seed = 4; !busy.ended; seed++)
        await home.runAlone(['generate', '--products', '3', '--comments', '50', '--seed', String(seed)], { env })
    })()
    const verified = await run('verify', '--json')
    expect(JSON.parse(verified.stdout)).toMatchObject({ behind: false, differenceCount: 0 })
    expect(verified.code).toBe(0)
    busy.ended = true
    await writes
    follower.kill('SIGTERM')
    await followed
  })
})
