/** The error of a server with usable settings that can't start: a port is taken, a database does not answer. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
