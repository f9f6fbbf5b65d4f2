import { createWorkLimit, HttpProblem, unprocessable } from 'lapidary-http/internal'
import sharp from 'sharp'
import { MAX_PHOTO_BYTES } from './photo.ts'

// Other formats have other readers, some of which open files and addresses that a picture names.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
})
// What was read for one picture is of no use for the next.
sharp.cache(false)

/** Pixels: more than a phone takes, and 150 MB at most while it is unpacked. */
const MOST_PIXELS = 50_000_000
const TIMEOUT_SECONDS = 15
/** Pixels of the longer side of the large one, and of the side of the small one, which is shown at half of that. */
const LARGE = 1_600
const SMALL = 240
/** Pictures that are worked on at once, each of which takes a processor and its pixels, and those that wait for it, some seconds at most. */
const AT_ONCE = 2
const WAITING = 16

/** A photo as it is kept, in WebP. */
export interface MadePhoto {
  /** Pixels of the large one. */
  readonly width: number
  readonly height: number
  readonly large: Uint8Array<ArrayBuffer>
  readonly small: Uint8Array<ArrayBuffer>
}

const limit = createWorkLimit(AT_ONCE, WAITING)

/**
 * Makes what is kept of an image that somebody sent: upright, of bounded size, and without what cameras note of place, time and owner, since only
 * pixels are written anew.
 *
 * @throws {HttpProblem} `unavailable` while too many wait; `unprocessable` for what is no whole JPEG, PNG or WebP of at most 50 megapixels and 10 MiB.
 */
export function makePhoto(sent: Uint8Array): Promise<MadePhoto> {
  return limit(async () => {
    if (sent.byteLength > MAX_PHOTO_BYTES) throw refused('is larger than 10 MiB')
    try {
      const fit = { width: LARGE, height: LARGE, fit: 'inside', withoutEnlargement: true } as const
      const large = await sharp(sent, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
        .timeout({ seconds: TIMEOUT_SECONDS })
        .autoOrient()
        .resize(fit)
        .webp({ quality: 80 })
        .toBuffer({ resolveWithObject: true })
      const small = await sharp(large.data).resize({ width: SMALL, height: SMALL }).webp({ quality: 75 }).toBuffer()
      const { width, height } = large.info
      return { width, height, large: new Uint8Array(large.data), small: new Uint8Array(small) }
    } catch (cause) {
      // That says nothing against the photo.
      if (/^timeout/.test((cause as Error).message))
        throw new HttpProblem('unavailable', 'the photo took too long; try again', { cause })
      throw refused('can’t be read: it must be a whole JPEG, PNG or WebP of at most 50 megapixels')
    }
  })
}

function refused(message: string): HttpProblem {
  return unprocessable('the photo was refused', [{ path: 'photo', message }])
}
