import { expect, test } from 'vitest'
import { shownEndpoint } from './shown-endpoint.ts'

test.each([
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['https://db.example/path', 'https://db.example/path'],
  ['unix:/tmp/lapidary-a/api.sock', 'unix:/tmp/lapidary-a/api.sock'],
  ['aws', 'aws'],
  ['http://me:secret@db.example:8000', 'http://…@db.example:8000'],
  ['http://secret@db.example', 'http://…@db.example'],
  ['http://me:se@cr/et@db.example', 'http://…@db.example'],
  ['me:secret@db.example:8000', '…@db.example:8000'],
  ['http://me:se\ncret@db.example', 'http://…@db.example'],
  ['https://db.example/?token=secret', 'https://db.example/'],
])('shows %j as %j', (endpoint, shown) => {
  expect(shownEndpoint(endpoint)).toBe(shown)
})
