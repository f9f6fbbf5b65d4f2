import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Client, startS3, type TestS3 } from '../../../../test/engines/s3.ts'
import { openPhotoStorage } from '../../src/photo-storages.ts'
import { bucketPhotos } from '../../src/photos/bucket-photos.ts'
import { folderPhotos } from '../../src/photos/folder-photos.ts'
import type { PhotoStorage } from '../../src/photos/photo-storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'photos-'))
let server: TestS3
let client: S3Client
beforeAll(async () => {
  server = await startS3()
  client = await s3Client(server, 'photos')
})
afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const STORAGES: readonly (readonly [string, () => PhotoStorage])[] = [
  ['a folder', () => folderPhotos(join(folder, 'made', 'later'))],
  ['a bucket', () => bucketPhotos({ client, bucket: 'photos', prefix: 'of/comments/' })],
]

describe.each(STORAGES)('photos in %s', (_, open) => {
  test('are there whole once they are written, and gone once they are removed', async () => {
    const storage = open()
    const names = ['-a'.padEnd(22, 'x'), `${'b'.repeat(22)}-small.webp`]
    expect(await storage.read(names[0] ?? '')).toBeUndefined()
    await storage.remove(names[0] ?? '')
    const bytes = new Uint8Array(300_000).map((_, i) => i % 251)
    await Promise.all(names.map((name) => storage.write(name, bytes)))
    for (const name of names) expect(Buffer.from((await storage.read(name)) ?? []).equals(bytes)).toBe(true)
    await storage.remove(names[0] ?? '')
    expect([await storage.read(names[0] ?? ''), (await storage.read(names[1] ?? ''))?.byteLength]).toEqual([
      undefined,
      300_000,
    ])
  })
})

test('a folder holds nothing that is half written', () => {
  expect(readdirSync(join(folder, 'made', 'later')).filter((name) => name.startsWith('.'))).toEqual([])
})

test('PHOTOS chooses one', async () => {
  const settings = { dataDir: folder, dynamodbEndpoint: undefined, photos: undefined }
  expect(await openPhotoStorage({ ...settings, photos: '0' })).toBeUndefined()
  expect(await openPhotoStorage({ ...settings, dynamodbEndpoint: 'aws' })).toBeUndefined()
  await (await openPhotoStorage(settings))?.write('x'.repeat(22), new Uint8Array([1]))
  expect(readdirSync(join(folder, 'photos'))).toEqual(['x'.repeat(22)])
  expect(await openPhotoStorage({ ...settings, dynamodbEndpoint: 'aws', photos: 's3://photos/of/' })).toBeDefined()
  await expect(openPhotoStorage({ ...settings, photos: 'https://photos/' })).rejects.toThrow(
    'PHOTOS is https://photos/; use',
  )
  const module = join(folder, 'own.mjs')
  writeFileSync(
    module,
    'export const write = () => {}\nexport const read = () => "read"\nexport const remove = () => {}',
  )
  expect(await (await openPhotoStorage({ ...settings, photos: module }))?.read('x')).toBe('read')
  writeFileSync(join(folder, 'other.mjs'), 'export const write = () => {}')
  await expect(openPhotoStorage({ ...settings, photos: join(folder, 'other.mjs') })).rejects.toThrow(
    'other.mjs, whose read is no function; docs/photos.md has one to start from',
  )
})
