// A function of the stack in a process of its own, as Lambda has it: events come as lines of JSON, answers go as such, with the actions
// that DynamoDB was asked for.
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const asked = new Set()
subscribe('http.client.request.start', ({ request }) => {
  asked.add(String(request.getHeader('x-amz-target')).replace(/^.*\./, ''))
})
const { handler } = await import(process.argv[2])
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await handler(JSON.parse(line), {})
  // What a function prints is its log.
  writeSync(3, `${JSON.stringify({ answer: answer ?? null, asked: [...asked] })}\n`)
}
