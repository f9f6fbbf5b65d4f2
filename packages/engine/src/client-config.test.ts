import { expect, test } from 'vitest'
import { clientConfig } from './client-config.ts'

const url = 'http://127.0.0.1:8000'

test('an endpoint takes the credentials and region of the environment, or made-up ones', () => {
  expect(clientConfig('endpoint', url, {})).toMatchObject({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  const env = { AWS_ACCESS_KEY_ID: 'mine', AWS_SECRET_ACCESS_KEY: 'mine', AWS_REGION: 'eu-central-1' }
  const config = clientConfig('endpoint', url, env)
  expect(config.region).toBe('eu-central-1')
  expect(config).not.toHaveProperty('credentials')
})

test('the embedded engine never sees real credentials', () => {
  const config = clientConfig('embedded', url, { AWS_ACCESS_KEY_ID: 'mine' })
  expect(config.credentials).toEqual({ accessKeyId: 'local', secretAccessKey: 'local' })
})

test('AWS leaves address, region and credentials to the usual chain', () => {
  expect(Object.keys(clientConfig('aws', undefined, {}))).toEqual(['requestHandler'])
})

test.each(['localhost:8000', 'nonsense', 'ftp://127.0.0.1'])('refuses %s as an endpoint', (endpoint) => {
  expect(() => clientConfig('endpoint', endpoint, {})).toThrow(expect.objectContaining({ code: 'bad_request' }))
})
