import { expect, test } from 'vitest'
import { clientConfig } from './client-config.ts'

const url = 'http://127.0.0.1:8000'

test('an endpoint takes the credentials and region of the environment, or made-up ones', () => {
  expect(clientConfig(url, {})).toMatchObject({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  const env = { AWS_ACCESS_KEY_ID: 'mine', AWS_SECRET_ACCESS_KEY: 'mine', AWS_REGION: 'eu-central-1' }
  const config = clientConfig(url, env)
  expect(config.region).toBe('eu-central-1')
  expect(config).not.toHaveProperty('credentials')
})

test('an embedded engine is reached by its socket, and never sees real credentials', () => {
  expect(clientConfig('unix:/run/api.sock', { AWS_ACCESS_KEY_ID: 'mine' })).toMatchObject({
    requestHandler: { httpAgent: { socketPath: '/run/api.sock' } },
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
})

test.each([undefined, 'aws'])('AWS (%s) leaves address, region and credentials to the usual chain', (endpoint) => {
  expect(Object.keys(clientConfig(endpoint, {}))).toEqual(['requestHandler'])
})

test.each(['localhost:8000', 'nonsense', 'ftp://127.0.0.1', 'unix:here'])('refuses %s as an endpoint', (endpoint) => {
  expect(() => clientConfig(endpoint, {})).toThrow(expect.objectContaining({ code: 'bad_request' }))
})

test('what it refuses is shown without its password', () => {
  const secret = 'correct horse'
  for (const endpoint of [`ftp://me:${secret}@db`, `me:${secret}@db:8000`, `http://me:${secret}/@@db:x`]) {
    expect(() => clientConfig(endpoint, {})).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('horse') }),
    )
  }
})
