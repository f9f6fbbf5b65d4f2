import { answerTo } from './answer-to.ts'
import type { Question } from './question.ts'

/** Taken before any text of a person runs, which may put others in their place. */
const post = self.postMessage.bind(self)
const { parse, stringify } = JSON

self.onmessage = async ({ data }: MessageEvent<string>): Promise<void> => {
  post(stringify(await answerTo(parse(data) as Question)))
}
