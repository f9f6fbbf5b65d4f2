import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { provisioned } from './provisioned.ts'

/** An S3 server of a test's own, with nothing in it. */
export interface TestS3 extends AsyncDisposable {
  /** The address: `http://127.0.0.1:…`. */
  readonly url: string
  /** Ends it as a crash would. */
  kill(): Promise<void>
}

const PROGRAM = provisioned('moto', 'bin', 'moto_server')
const PYTHON = provisioned('moto', 'bin', 'python3')

/**
 * A server that takes one request after the other: Moto checks a put's condition and puts in two steps, so two puts with one condition may both
 * be made.
 */
const SERVER = `
import sys, threading
import moto.server
run, lock = moto.server.run_simple, threading.Lock()
def run_one_by_one(host, port, app, **options):
    def locked(environ, start):
        with lock:
            return app(environ, start)
    run(host, port, locked, **options)
moto.server.run_simple = run_one_by_one
moto.server.main(sys.argv[1:])
`

/** Starts Moto's server on a free port of the loopback; it also ends with this process. */
export async function startS3(): Promise<TestS3> {
  if (!existsSync(PROGRAM)) throw new Error('there is no moto_server: node scripts/provision.mjs provides it')
  for (let tries = 0; ; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const child = spawn(PYTHON, ['-c', SERVER, '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    const kill = async (): Promise<void> => {
      process.off('exit', end)
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    }
    const url = `http://127.0.0.1:${port}`
    while (child.exitCode === null) {
      const answer = await fetch(url).catch(() => undefined)
      if (answer !== undefined) return { url, kill, [Symbol.asyncDispose]: kill }
      await sleep(50)
    }
    await kill()
    if (tries === 5) throw new Error('moto_server does not start: node scripts/provision.mjs provides it')
  }
}

/** Makes a client of the server, and a bucket there. */
export async function s3Client({ url }: Pick<TestS3, 'url'>, bucket: string): Promise<S3Client> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, maxAttempts: 2, credentials })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return client
}
