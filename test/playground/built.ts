import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Item } from 'lapidary'
import type { Answer } from '../../site/playground/answer.ts'
import type { Question } from '../../site/playground/question.ts'
import { ROOT } from '../architecture/sources.ts'

/** An example as the playground opens it. */
export interface PlaygroundExample {
  readonly id: string
  readonly group: string
  readonly title: string
  /** The code that it was cut from. */
  readonly code: string
  readonly declaration: string
  readonly queries: readonly { readonly title: string; readonly text: string }[]
}

/** The playground's own program, as its bundle is, with what was cut out of the documents. */
export interface BuiltPlayground {
  readonly examples: readonly PlaygroundExample[]
  /** The program of the worker. */
  readonly worker: string
  /** Answers texts as the page does: types are taken out before. */
  ask(question: Question): Promise<Answer>
  /** Reads an answer as the page does; undefined for what it would not show. */
  checkedAnswer(text: string): Answer | undefined
  /** The items that a plan supposes, each with how many are like it. */
  supposedItems(question: Question): Promise<readonly { readonly item: Item; readonly items: number }[]>
}

interface Bundle {
  answerTo(question: Question): Promise<Answer>
  supposedItems: BuiltPlayground['supposedItems']
  checkedAnswer: BuiltPlayground['checkedAnswer']
  withoutTypes(code: string): string
}

const FOLDER = join(ROOT, 'site/playground')

/** Builds the playground; its packages are installed the first time. */
export async function buildPlayground(): Promise<BuiltPlayground> {
  const run = promisify(execFile)
  await run(process.execPath, [join(ROOT, 'scripts/docs.mjs'), 'install'], { cwd: ROOT, maxBuffer: 1e8 })
  await run(process.execPath, [join(FOLDER, 'build.mjs')], { cwd: ROOT })
  const bundle = (await import(join(FOLDER, 'dist/for-tests.mjs'))) as Bundle
  const plain = ({ declaration, query, data }: Question): Question => ({
    declaration: bundle.withoutTypes(declaration),
    query: bundle.withoutTypes(query),
    data,
  })
  return {
    examples: JSON.parse(readFileSync(join(FOLDER, 'dist/examples.json'), 'utf8')) as PlaygroundExample[],
    worker: readFileSync(join(FOLDER, 'dist/worker.js'), 'utf8'),
    ask: (question) => bundle.answerTo(plain(question)),
    checkedAnswer: bundle.checkedAnswer,
    supposedItems: (question) => bundle.supposedItems(plain(question)),
  }
}
