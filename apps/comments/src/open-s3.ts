import { S3Client } from '@aws-sdk/client-s3'

const PATIENCE_MS = 5_000

/** Opens S3. The region, the credentials and `AWS_ENDPOINT_URL_S3` are those that every AWS program goes by. */
export function openS3(): S3Client {
  return new S3Client({
    maxAttempts: 2,
    // Much may be sent at once, so the limit is on silence, not on the whole.
    requestHandler: { connectionTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS },
    // Other servers than AWS's own have the bucket in the path.
    forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined,
  })
}
