import { type Logger, pino } from 'pino'

/** For applications whose log no test looks at. */
export const silentLogger: Logger = pino({ level: 'silent' })
