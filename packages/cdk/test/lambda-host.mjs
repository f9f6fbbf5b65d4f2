// Runs a function of a stack in a process of its own, as Lambda does: events come as lines of JSON, and answers go the same way.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { handler } = await import(process.argv[2])
const context = { getRemainingTimeInMillis: () => 300_000 }
for await (const line of createInterface({ input: process.stdin })) {
  const told = await handler(JSON.parse(line), context).then(
    (answer) => ({ answer: answer ?? null }),
    (error) => ({ error: String(error?.stack ?? error) }),
  )
  // Standard output is the function's log, so answers go elsewhere.
  writeSync(3, `${JSON.stringify(told)}\n`)
}
