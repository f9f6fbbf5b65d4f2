import { type Logger, pino } from 'pino'

/** A logger for applications whose log the test does not read. */
export const silentLogger: Logger = pino({ level: 'silent' })
