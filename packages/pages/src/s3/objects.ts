import { createReadStream } from 'node:fs'
import type { S3Client } from '@aws-sdk/client-s3'
import { LapidaryError } from 'lapidary'

/** An object that was there is there no more, or never was. */
export class Gone extends Error {
  override readonly name = 'Gone'
}

/** Another process was faster. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/** The content of an object, and the tag that it has as long as it has that content. */
export interface ReadObject {
  readonly bytes: Buffer
  readonly tag: string
}

/** A write is made only where no object is there, or still the one with this tag. */
export type Condition = { readonly isNew: true } | { readonly tag: string }

/** The objects under one prefix of a bucket. */
export interface Objects {
  /** @throws {Gone} */
  read(key: string): Promise<ReadObject>
  /** Undefined when it still has what the tag says. @throws {Gone} */
  readUnless(key: string, tag: string): Promise<ReadObject | undefined>
  /** From one byte to before another, or as far as there are. @throws {Gone} */
  readRange(key: string, from: number, to: number): Promise<Buffer>
  /** Gives the tag of what is there then. @throws {Conflict} */
  write(key: string, body: Buffer, condition?: Condition): Promise<string>
  writeFile(key: string, path: string, bytes: number): Promise<void>
  /** All that are there. */
  keys(): Promise<readonly string[]>
  /** Removes objects; one that can't be removed stays, and costs its storage. */
  remove(keys: readonly string[]): Promise<void>
}

/** How requests are sent: by an S3Client, or anything that sends commands as it does. */
export type SendToS3 = Pick<S3Client, 'send'>

export function objectsIn(client: SendToS3, bucket: string, prefix: string): Objects {
  const named = (key: string): { readonly Bucket: string; readonly Key: string } => ({
    Bucket: bucket,
    Key: `${prefix}${key}`,
  })
  const get = async (key: string, more: { Range?: string; IfNoneMatch?: string } = {}): Promise<ReadObject> => {
    const { GetObjectCommand } = await commands()
    return asked('GET', named(key).Key, async () => {
      const { Body, ETag = '' } = await client.send(new GetObjectCommand({ ...named(key), ...more }))
      return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), tag: ETag }
    })
  }
  return {
    read: (key) => get(key),
    async readUnless(key, tag) {
      try {
        return await get(key, { IfNoneMatch: tag })
      } catch (error) {
        if (error instanceof Unchanged) return undefined
        throw error
      }
    },
    readRange: async (key, from, to) => (await get(key, { Range: `bytes=${from}-${to - 1}` })).bytes,
    async write(key, body, condition) {
      const { PutObjectCommand } = await commands()
      const header =
        condition === undefined ? {} : 'tag' in condition ? { IfMatch: condition.tag } : { IfNoneMatch: '*' }
      return asked('PUT', named(key).Key, async () => {
        const { ETag = '' } = await client.send(new PutObjectCommand({ ...named(key), ...header, Body: body }))
        return ETag
      })
    },
    async writeFile(key, path, bytes) {
      const { PutObjectCommand } = await commands()
      await asked('PUT', named(key).Key, () =>
        client.send(new PutObjectCommand({ ...named(key), Body: createReadStream(path), ContentLength: bytes })),
      )
    },
    async keys() {
      const { ListObjectsV2Command } = await commands()
      const keys: string[] = []
      for (let from: string | undefined; ; ) {
        const input = { Bucket: bucket, Prefix: prefix, ...(from === undefined ? {} : { ContinuationToken: from }) }
        const { Contents = [], NextContinuationToken } = await asked('LIST', prefix, () =>
          client.send(new ListObjectsV2Command(input)),
        )
        keys.push(...Contents.map(({ Key = '' }) => Key.slice(prefix.length)))
        if (NextContinuationToken === undefined) return keys
        from = NextContinuationToken
      }
    },
    async remove(keys) {
      const { DeleteObjectCommand } = await commands()
      await Promise.allSettled(keys.map((key) => client.send(new DeleteObjectCommand(named(key)))))
    },
  }
}

class Unchanged extends Error {}

/** The client is the user's own; a process that keeps its page index elsewhere has none. */
function commands(): Promise<typeof import('@aws-sdk/client-s3')> {
  return import('@aws-sdk/client-s3')
}

async function asked<T>(method: string, key: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (cause) {
    const { $metadata, name, message } = cause as Error & { readonly $metadata?: { readonly httpStatusCode?: number } }
    const status = $metadata?.httpStatusCode
    if (status === 304) throw new Unchanged()
    if (status === 404 && name !== 'NoSuchBucket') throw new Gone(key)
    // 409: two conditional writes met.
    if (status === 412 || status === 409) throw new Conflict(key)
    throw new LapidaryError(
      'unavailable',
      `the page index in S3 does not answer ${method} ${key}: ${message || name}`,
      {
        cause,
      },
    )
  }
}
