import { once } from 'node:events'
import { readConfig } from 'comments/config'
import { startServer } from 'comments/server'
import { destination, pino } from 'pino'

/**
 * The comments application in a process of its own, with the settings of its environment. Tells its parent where it listens;
 * asked, it collects garbage and tells what is left, and the processor's time that it took; ends when the parent does.
 */

const config = readConfig([], process.env)
if (config === 'help') throw new Error('the environment asks for help')
const logger = pino({ level: config.logLevel, base: null }, destination({ fd: 2, sync: false }))
const server = await startServer(config, logger)
process.send?.({ address: server.address })
process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  process.send?.({ heap: process.memoryUsage().heapUsed, cpu: process.cpuUsage() })
})
await once(process, 'disconnect')
await server.close()
process.exit(0)
