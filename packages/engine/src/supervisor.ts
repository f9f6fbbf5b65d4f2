import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Claim, takeClaim, updateClaim } from './claim.ts'
import { type Dynoxide, endProcess, startDynoxide } from './dynoxide.ts'
import { prepareDatabase } from './new-database.ts'

/** What the supervisor's process is told, as JSON, in its one argument. */
export interface SupervisorOptions {
  readonly binary: string
  /** The folder of the claims and the log. */
  readonly folder: string
  readonly databaseFile?: string | undefined
  /** Milliseconds without a holder after which the engine ends. */
  readonly grace: number
}

const firstHolderMilliseconds = 10_000
const restartLimit = 5
const restartWindowMilliseconds = 60_000

/**
 * Owns the database's process for as long as somebody holds it: every holder keeps one connection open, the system
 * closes it however the holder ends, and with the last one the database ends too.
 */
async function supervise(options: SupervisorOptions): Promise<void> {
  const { folder, grace, binary, databaseFile } = options
  const taken = takeClaim(folder)
  if (taken === undefined) return
  const { previous } = taken
  let claim: Claim = taken.claim
  const change = (changes: Partial<Claim>) => {
    claim = { ...claim, ...changes }
    updateClaim(folder, claim)
  }

  const holders = new Set<Socket>()
  const restarts: number[] = []
  let ending = false
  let dynoxide: Dynoxide | undefined
  let timer = setTimeout(() => {}, 0)

  const start = async (port: number | undefined) => {
    const started = await startDynoxide({ binary, databaseFile, port, logFile: join(folder, 'engine.log') })
    dynoxide = started
    started.process.once('exit', () => restart(started.port))
    change({ engine: started.identity, enginePort: started.port })
  }
  const end = async (outcome: Partial<Claim>) => {
    if (ending) return
    ending = true
    server.close()
    for (const holder of holders) holder.destroy()
    if (dynoxide !== undefined) await endProcess(dynoxide.identity)
    if (databaseFile === undefined) rmSync(folder, { recursive: true, force: true })
    else change(outcome)
    process.exit()
  }
  const fail = (error: unknown) =>
    end({ state: 'failed', failure: error instanceof Error ? error.message : String(error) })
  const restart = (port: number) => {
    if (ending) return
    const now = Date.now()
    restarts.push(now)
    const recent = restarts.filter((time) => time > now - restartWindowMilliseconds).length
    if (recent > restartLimit)
      void fail(new Error(`The embedded DynamoDB ended by itself ${recent} times in a minute.`))
    else start(port).catch(fail)
  }
  const endUnlessHeld = (milliseconds: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (holders.size === 0) void end({ state: 'ended' })
    }, milliseconds)
  }
  const server = createServer((holder) => {
    if (ending) {
      holder.destroy()
      return
    }
    holders.add(holder)
    holder.on('error', () => {})
    holder.once('close', () => {
      holders.delete(holder)
      if (holders.size === 0) endUnlessHeld(grace)
    })
    holder.resume().write(`${JSON.stringify({ enginePort: claim.enginePort })}\n`)
  })

  try {
    if (previous?.engine !== undefined) await endProcess(previous.engine)
    if (databaseFile !== undefined) prepareDatabase(databaseFile)
    await start(previous?.enginePort)
  } catch (error) {
    await fail(error)
    return
  }
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') return
    change({ state: 'ready', holdPort: address.port })
    endUnlessHeld(firstHolderMilliseconds)
  })
}

// A signal to the whole group (Ctrl-C, a service manager's stop) reaches the holders too: the database ends after them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
await supervise(JSON.parse(process.argv[2] ?? '{}') as SupervisorOptions)
