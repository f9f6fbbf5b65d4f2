/** What is logged goes to one of these, with data first; a logger of pino is one. */
export interface Logger {
  info(line: object, message?: string): void
  info(message: string): void
  warn(line: object, message?: string): void
  error(line: object, message?: string): void
}
