import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Claim, takeClaim, updateClaim } from './claim.ts'
import { prepareDatabase } from './database-file.ts'
import { type Dynoxide, endProcess, startDynoxide } from './dynoxide.ts'
import { createGuard } from './guard.ts'
import { GREETING } from './hold.ts'
import { openSocketFolder, type SocketFolder } from './socket-folder.ts'

/** The options of the supervisor's process, as JSON in its one argument. */
export interface SupervisorOptions {
  readonly binary: string
  /** The folder of the claims and the log. */
  readonly folder: string
  readonly databaseFile: string
  /** Whether the database and its folder go with the last holder. */
  readonly temporary: boolean
  /** Whether this process was given a network of its own. */
  readonly isolated: boolean
  /** Milliseconds without a holder after which the engine ends. */
  readonly grace: number
}

const firstHolderMilliseconds = 60_000
const restartLimit = 5
const restartWindowMilliseconds = 60_000

/**
 * Runs the database's process for as long as there is a holder: every holder keeps one connection open, the system closes it however the holder
 * ends, and after the last one the database ends too.
 */
async function supervise(options: SupervisorOptions): Promise<void> {
  const { folder, databaseFile, temporary, isolated, grace, binary } = options
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
  let sockets: SocketFolder | undefined
  let database: Promise<Dynoxide> | undefined
  let timer = setTimeout(() => {}, 0)

  const start = async (): Promise<Dynoxide> => {
    const started = await startDynoxide({ binary, databaseFile, isolated, logFile: join(folder, 'engine.log') })
    started.process.once('exit', restart)
    change({ engine: started.identity })
    return started
  }
  const end = async (outcome: Partial<Claim>) => {
    if (ending) return
    ending = true
    server.close()
    for (const holder of holders) holder.destroy()
    const dynoxide = await database?.catch(() => undefined)
    if (dynoxide !== undefined) await endProcess(dynoxide.identity)
    if (sockets !== undefined) rmSync(sockets.folder, { recursive: true, force: true })
    if (temporary) rmSync(folder, { recursive: true, force: true })
    else change(outcome)
    process.exit()
  }
  const fail = (error: unknown) =>
    end({ state: 'failed', failure: error instanceof Error ? error.message : String(error) })
  const restart = () => {
    if (ending) return
    const now = Date.now()
    restarts.push(now)
    const recent = restarts.filter((time) => time > now - restartWindowMilliseconds).length
    if (recent > restartLimit) {
      void fail(new Error(`The embedded DynamoDB ended by itself ${recent} times in a minute.`))
      return
    }
    database = start()
    database.catch(fail)
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
    holder.resume().write(GREETING)
  })

  try {
    if (previous?.engine !== undefined) await endProcess(previous.engine)
    chmodSync(folder, 0o700)
    await prepareDatabase(databaseFile)
    sockets = openSocketFolder(previous?.sockets)
    database = start()
    await database
    const guard = createGuard(async () => {
      if (database === undefined || ending) throw new Error('The engine ends.')
      return (await database).address
    })
    await listen(guard, sockets.api)
    await listen(server, sockets.hold)
  } catch (error) {
    await fail(error)
    return
  }
  change({ state: 'ready', sockets: sockets.folder })
  endUnlessHeld(firstHolderMilliseconds)
}

function listen(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
}

// Files of this process and the database are for their user only.
process.umask(0o077)
// A signal to the whole group (Ctrl-C, a service manager's stop) reaches the holders too: the database ends after them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
await supervise(JSON.parse(process.argv[2] ?? '{}') as SupervisorOptions)
