// Runs commands one after the other in one process, so that the start of a process is paid once.
import { main } from '../dist/index.js'

const HOST_ENVIRONMENT = { ...process.env }

process.on('message', async ({ number, args, cwd, env }) => {
  const written = { stdout: '', stderr: '' }
  const restore = ['stdout', 'stderr'].map((name) => capture(name, written))
  process.chdir(cwd)
  replaceEnvironment(env)
  let code
  try {
    code = await main([process.execPath, 'lapidary', ...args])
  } finally {
    for (const each of restore) each()
    replaceEnvironment(HOST_ENVIRONMENT)
  }
  process.send({ number, code, ...written })
})
process.once('disconnect', () => process.exit())

/** Captures what is written to a stream. */
function capture(name, written) {
  const stream = process[name]
  const { write } = stream
  stream.write = (chunk, encoding, done) => {
    written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const callback = typeof encoding === 'function' ? encoding : done
    callback?.()
    return true
  }
  return () => {
    stream.write = write
    stream.removeAllListeners('error')
  }
}

function replaceEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}
