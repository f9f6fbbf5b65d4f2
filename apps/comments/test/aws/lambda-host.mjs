// Runs a function of the stack in a process of its own, as Lambda does: events come as lines of JSON, and answers go the same way, with the actions
// that the function asked of DynamoDB.
import { randomUUID } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const asked = new Set()
subscribe('http.client.request.start', ({ request }) => {
  asked.add(String(request.getHeader('x-amz-target')).replace(/^.*\./, ''))
})
const { handler } = await import(process.argv[2])
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await handler(JSON.parse(line), { awsRequestId: randomUUID() })
  // Standard output is the function's log, so answers go elsewhere.
  writeSync(3, `${JSON.stringify({ answer: answer ?? null, asked: [...asked] })}\n`)
}
