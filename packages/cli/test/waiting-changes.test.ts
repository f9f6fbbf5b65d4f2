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
    // Changes that are not counted yet are no difference.
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

  it('import and stream end with what is not counted yet', async () => {
    await using setting = await openHome()
    const { home, env, run } = setting
    expect((await run(...GENERATE)).stderr).toContain('30 changes not counted yet: run lapidary stream')
    await run('export', home.file('items.jsonl'))
    const imported = await run('import', home.file('items.jsonl'), '--on-conflict', 'replace', '--json')
    expect(JSON.parse(imported.stdout)).toMatchObject({ written: 30, pending: 60, counted: false })
    expect(imported.stderr).toContain('60 changes not counted yet: run lapidary stream')
    const dry = await run('import', home.file('items.jsonl'), '--dry-run', '--json')
    expect([dry.stderr, JSON.parse(dry.stdout).pending]).toEqual(['', undefined])

    const follower = home.start(['stream'], { env })
    const followed = finished(follower)
    for (let pending = 60; pending > 0; )
      pending = JSON.parse((await run('stream', '--dry-run', '--json')).stdout).pending as number
    const again = await run('import', home.file('items.jsonl'), '--on-conflict', 'skip')
    expect(again.stderr).toContain('everything is counted')
    follower.kill('SIGTERM')
    await followed
    const { json, note } = await endOfStream(home, env)
    expect(json).toMatchObject({ deadLetters: 0, pending: 0, counted: true })
    expect(note).toMatch(/^stopped; everything is counted$/m)
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

/**
 * Returns the last output of `lapidary stream` when it is told to end. On a busy machine its second may be too short to look, so it is asked
 * again.
 */
async function endOfStream(home: CliHome, env: Readonly<Record<string, string>>) {
  for (;;) {
    const child = home.start(['stream', '--json'], { env })
    const ended = finished(child)
    if (child.stderr !== null) await once(child.stderr, 'data')
    child.kill('SIGTERM')
    const { stdout, stderr } = await ended
    const json = JSON.parse(stdout.trim().split('\n').at(-1) || '{}') as { readonly pending?: number | null }
    if (typeof json.pending === 'number') return { json, note: stderr }
  }
}
