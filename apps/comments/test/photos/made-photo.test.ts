import sharp from 'sharp'
import { expect, test } from 'vitest'
import { makePhoto } from '../../src/photos/made-photo.ts'
import { image } from './test-photos.ts'

const refused = { code: 'unprocessable', errors: [{ path: 'photo' }] }

test('a photo is kept upright, smaller, and without what the camera noted', async () => {
  // A camera on its side: the sensor’s left is the picture’s top.
  const sent = await sharp(await image('jpeg', { width: 3_000, height: 2_000 }))
    .withExif({ IFD0: { Copyright: 'Ada, Elm Street 1', Orientation: '6' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  expect((await sharp(sent).metadata()).exif).toBeDefined()
  const { width, height, large, small } = await makePhoto(sent)
  expect([width, height]).toEqual([1_067, 1_600])
  const { format, exif, icc, xmp, iptc, orientation } = await sharp(large).metadata()
  expect({ format, exif, icc, xmp, iptc, orientation }).toEqual({ format: 'webp' })
  expect(Buffer.from(large).includes('Elm Street')).toBe(false)
  const square = await sharp(small).metadata()
  expect([square.width, square.height, square.exif]).toEqual([240, 240, undefined])
})

test.each(['jpeg', 'png', 'webp'] as const)('a small %s keeps its size', async (format) => {
  expect(await makePhoto(await image(format))).toMatchObject({ width: 320, height: 200 })
})

test.each([
  ['a text', async () => Buffer.from('no picture')],
  ['nothing', async () => Buffer.alloc(0)],
  [
    'an SVG, which could name other files',
    async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  ],
  ['a GIF', () => image('gif')],
  ['half a JPEG', async () => (await image('jpeg')).slice(0, 3_000)],
  ['one of 56 megapixels, however few bytes they take', () => plain(8_000, 7_000)],
  ['more than 10 MiB', async () => Buffer.alloc(10 * 1024 * 1024 + 1)],
])('%s is refused', async (_, made) => {
  await expect(made().then(makePhoto)).rejects.toMatchObject(refused)
})

/** A picture of one colour, which is small however large it is. */
async function plain(width: number, height: number): Promise<Uint8Array> {
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#3a7' } })
    .png()
    .toBuffer()
  expect(bytes.byteLength).toBeLessThan(1_000_000)
  return bytes
}
