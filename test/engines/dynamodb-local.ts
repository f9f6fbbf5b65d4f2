import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { provisioned } from './provisioned.ts'

/** A DynamoDB Local of its own, in memory. */
export interface DynamoDbLocal extends AsyncDisposable {
  readonly endpoint: string
  close(): Promise<void>
}

const jars: string = provisioned('dynamodb-local')
const launcher: string = fileURLToPath(new URL('./DynamoDbLocal.java', import.meta.url))

/** Starts DynamoDB Local on the loopback interface and a free port; it ends by `close` or with this process. */
export async function startDynamoDbLocal(): Promise<DynamoDbLocal> {
  if (!existsSync(jars)) throw new Error(`DynamoDB Local is not in ${jars}: run node scripts/provision.mjs.`)
  // Only the quick compiler runs: a run of minutes never repays the work of the other one.
  const options = [
    '-Xmx1g',
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    `-Djava.library.path=${jars}`,
    '-cp',
    `${jars}/*`,
  ]
  // The launcher ends when its standard input does, so this pipe ties its life to ours.
  const child = spawn('java', [...options, launcher], { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-2_000)
  })
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      log = error.message
      resolve()
    })
    child.once('exit', () => resolve())
  })
  const endpoint = await Promise.race([
    new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const address = /^listening on (http:\S+)$/.exec(line)?.[1]
        if (address !== undefined) resolve(address)
      })
    }),
    ended.then(() => undefined),
  ])
  if (endpoint === undefined) throw new Error(`DynamoDB Local did not start: ${log}`)
  const close = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { endpoint, close, [Symbol.asyncDispose]: close }
}
