import { type PythonServer, startPythonServer } from './python-server.ts'

/**
 * A server that takes one request after the other: Moto checks a write's condition and writes in two steps, so two writes with one condition may
 * both be made.
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

/** Starts Moto's server, of S3 and of DynamoDB. */
export function startMoto(): Promise<PythonServer> {
  return startPythonServer('moto', (port) => ({ args: ['-c', SERVER, '-H', '127.0.0.1', '-p', port] }))
}
