import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { startMoto } from './moto.ts'
import type { PythonServer } from './python-server.ts'

/** An S3 server of a test's own, with nothing in it. */
export type TestS3 = PythonServer

/** Starts a server that honours conditional writes. */
export function startS3(): Promise<TestS3> {
  return startMoto()
}

/** Makes a client of the server, and a bucket there. */
export async function s3Client({ url }: Pick<TestS3, 'url'>, bucket: string): Promise<S3Client> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, maxAttempts: 2, credentials })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return client
}
