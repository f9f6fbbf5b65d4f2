import { once } from 'node:events'
import { readConfig } from 'comments/config'
import { startServer } from 'comments/server'
import { destination, pino } from 'pino'

/**
 * The comments application in a process of its own, with the settings of its environment. Tells its parent where it listens;
 * asked, it tells the processor's time that it took, or what is left of its heap after a collection; ends when the parent does.
 */

const config = readConfig([], process.env)
if (config === 'help') throw new Error('the environment asks for help')
const logger = pino({ level: config.logLevel, base: null }, destination({ fd: 2, sync: false }))
const server = await startServer(config, logger)
process.send?.({ address: server.address })
process.on('message', (question) => {
  if (question === 'cpu') return process.send?.({ cpu: process.cpuUsage() })
  // Not for each question: after a collection a process is slower for a while.
  globalThis.gc?.()
  globalThis.gc?.()
  return process.send?.({ heap: process.memoryUsage().heapUsed })
})
await once(process, 'disconnect')
await server.close()
process.exit(0)
