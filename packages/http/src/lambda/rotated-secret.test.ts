import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { expect, test } from 'vitest'
import { rotatedSecret } from './rotated-secret.ts'
import { withRotatedSecrets } from './with-rotated-secrets.ts'

const MINUTE = 60_000

/** A secret in memory, with the clock by which it is rotated and read. */
function secretInMemory(first: string) {
  const state = { now: 1_000_000_000_000, versions: [{ value: first, at: 0 }], reads: 0, isAway: false }
  const client = {
    async send({ input: { VersionStage } }: { readonly input: { readonly VersionStage: string } }) {
      state.reads++
      if (state.isAway) throw Object.assign(new Error('away'), { name: 'InternalServiceError' })
      const version = state.versions.at(VersionStage === 'AWSCURRENT' ? -1 : -2)
      if (version === undefined) throw Object.assign(new Error('none'), { name: 'ResourceNotFoundException' })
      return { SecretString: version.value, CreatedDate: new Date(version.at) }
    },
  } as unknown as SecretsManagerClient
  const errors: unknown[] = []
  const open = () =>
    rotatedSecret({ secretId: 'cursor', client, clock: () => state.now, onError: (error) => errors.push(error) })
  return {
    ...{ state, open, errors },
    rotate: (value: string) => state.versions.push({ value, at: state.now }),
    later: (ms: number) => {
      state.now += ms
    },
  }
}

test('a secret is read once in some minutes, by many requests at the same time too', async () => {
  const { state, open, later } = secretInMemory('one')
  const secret = open()
  expect(await Promise.all([secret.values(), secret.values()])).toEqual([['one'], ['one']])
  later(4 * MINUTE)
  await secret.values()
  expect(state.reads).toBe(2)
  later(2 * MINUTE)
  await secret.values()
  expect(state.reads).toBe(4)
})

test('no process signs by a value that another may not know yet, at any minute of a rotation', async () => {
  const { open, rotate, later } = secretInMemory('old')
  const processes: ReturnType<typeof open>[] = []
  for (let minute = 0; minute < 40; minute++) {
    // Each process begins, and so reads again, at a minute of its own.
    if (minute < 5) processes.push(open())
    const known = await Promise.all(processes.map((each) => each.values()))
    for (const [signer = ''] of known) for (const values of known) expect(values, `minute ${minute}`).toContain(signer)
    if (minute === 11) rotate('new')
    later(MINUTE)
  }
  expect(await processes[0]?.values()).toEqual(['new', 'old'])
})

test('a secret that can not be read again stays in use, and is asked for again soon', async () => {
  const { state, open, later, rotate, errors } = secretInMemory('one')
  const secret = open()
  await secret.values()
  state.isAway = true
  rotate('two')
  later(6 * MINUTE)
  expect(await secret.values()).toEqual(['one'])
  expect(errors).toHaveLength(1)
  state.isAway = false
  later(20_000)
  expect(await secret.values()).toEqual(['one', 'two'])
})

test('a secret that was never read is an error, and is read by the next request', async () => {
  const { state, open } = secretInMemory('one')
  state.isAway = true
  const secret = open()
  await expect(secret.values()).rejects.toThrow('away')
  state.isAway = false
  expect(await secret.values()).toEqual(['one'])
})

test('what is made of secrets is made anew when one of them changes, and not before', async () => {
  const [cursor, token] = [secretInMemory('one'), secretInMemory('token')]
  let made = 0
  const open = withRotatedSecrets({ cursor: cursor.open(), token: token.open() }, (values) => ({
    ...values,
    made: ++made,
  }))
  expect(await open()).toEqual({ cursor: ['one'], token: ['token'], made: 1 })
  expect(await open()).toMatchObject({ made: 1 })
  token.rotate('token-2')
  token.later(6 * MINUTE)
  expect(await open()).toEqual({ cursor: ['one'], token: ['token', 'token-2'], made: 2 })
  token.later(10 * MINUTE)
  expect(await open()).toEqual({ cursor: ['one'], token: ['token-2', 'token'], made: 3 })
})
