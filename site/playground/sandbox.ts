import type { Answer } from './answer.ts'
import { checkedAnswer } from './checked-answer.ts'
import type { Question } from './question.ts'

/** Runs the playground's worker where it can reach nothing: no network, no storage, no page. */
export interface Sandbox {
  /** Answers a question; undefined where another one was asked since. */
  ask(question: Question): Promise<Answer | undefined>
  close(): void
}

/** How long a text may run before its thread is ended. */
export const LIMIT_MS = 5_000
const MOST_CHARACTERS = 2_000_000

/** Nothing may be loaded, from anywhere; scripts are those of this frame and of the worker that it makes. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:"

/**
 * The program of the frame. A worker is new for each question, so that no text leaves anything behind for the next, and ends with its answer, with the next
 * question, or when its time is over.
 */
const FRAME = `
addEventListener('message', ({ data: source, ports: [port] }) => {
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  let worker, timer
  const end = () => { worker?.terminate(); worker = undefined; clearTimeout(timer) }
  port.onmessage = ({ data: [id, question] }) => {
    end()
    worker = new Worker(address)
    const answer = (text) => { end(); port.postMessage([id, text]) }
    timer = setTimeout(() => answer(null), ${LIMIT_MS})
    worker.onmessage = ({ data }) => answer(typeof data === 'string' && data.length < ${MOST_CHARACTERS} ? data : '')
    worker.onerror = () => answer('')
    worker.postMessage(question)
  }
  port.postMessage('ready')
}, { once: true })`

/** @param source The program of the worker. */
export function createSandbox(source: string): Sandbox {
  const frame = document.createElement('iframe')
  // Without allow-same-origin the frame is of no origin: it has no storage, no cookies, and can't touch this page. It may not navigate it either.
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${FRAME}</script>`
  frame.title = 'The plan is made in here'
  frame.style.display = 'none'
  const { port1: port, port2 } = new MessageChannel()
  const ready = new Promise<void>((resolve) => {
    frame.addEventListener('load', () => {
      frame.contentWindow?.postMessage(source, '*', [port2])
      resolve()
    })
  })
  document.body.append(frame)
  let asked = 0
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!Array.isArray(data)) return
    const [id, text] = data as [number, string | null]
    waiting.get(id)?.(id === asked ? answerIn(text) : undefined)
    waiting.delete(id)
  }
  return {
    async ask(question) {
      asked += 1
      const id = asked
      for (const [other, resolve] of waiting) {
        resolve(undefined)
        waiting.delete(other)
      }
      await ready
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        port.postMessage([id, JSON.stringify(question)])
      })
    },
    close() {
      port.close()
      frame.remove()
    },
  }
}

/** Reads what came out of the sandbox, which may be anything that a text made up. */
function answerIn(text: string | null): Answer {
  const stopped = `the declaration took longer than ${LIMIT_MS / 1000} seconds and was ended; does it have a loop without an end?`
  if (text === null) return { problem: { in: 'declaration', message: stopped } }
  const answer = checkedAnswer(text)
  if (answer !== undefined) return answer
  return { problem: { in: 'declaration', message: 'the declaration gave no answer that can be read' } }
}
