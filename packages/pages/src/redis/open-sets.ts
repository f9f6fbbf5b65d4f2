import { createHash } from 'node:crypto'
import { LapidaryError, type ListsFilling, type ListsInspection, type ListsState } from 'lapidary'
import { type LoadedLists, placeFrom, placeText } from 'lapidary/internal'
import { APPLY, CELLS, FILL, REMOVE, SELECT } from './scripts.ts'

/** How a client of Redis or Valkey is asked: with a command and its arguments. */
export type SendToRedis = (command: readonly string[]) => Promise<unknown>

const STEPS_AT_ONCE = 500
/** For how long a process that stands still may come back with changes that are in already: longer than a stream keeps them. */
const MARK_SECONDS = 7 * 86_400
const SCAN_COUNT = 200

export function openSets(send: SendToRedis, prefix: string): LoadedLists {
  const speak = speakTo(send)
  const run = (script: string, args: readonly string[], shardId = ''): Promise<unknown> => {
    const keys = ['state', `mark:${shardId}`, 'groups', 'asOf'].map((name) => `${prefix}${name}`)
    return evaluate(speak, script, keys, args)
  }
  const readState = async (): Promise<{ readonly state: ListsState; readonly generation: number }> => {
    const [state, generation] = String((await speak(['GET', `${prefix}state`])) ?? 'absent:0').split(':')
    return { state: state as ListsState, generation: Number(generation) }
  }
  /** Groups of all generations; one may come more than once. */
  async function* allGroups(): AsyncGenerator<string> {
    let cursor = '0'
    do {
      const [next, groups] = (await speak(['SSCAN', `${prefix}groups`, cursor, 'COUNT', String(SCAN_COUNT)])) as [
        string,
        string[],
      ]
      yield* groups
      cursor = String(next)
    } while (cursor !== '0')
  }
  /** Removes groups: of other generations all, of this one what only its filling needed. */
  const tidy = async (generation: number): Promise<void> => {
    for await (const group of allGroups()) {
      const isOwn = group.startsWith(`${generation}:`)
      await run(REMOVE, [prefix, group, isOwn ? '1' : '0'])
    }
  }

  return {
    async select({ groups, includes, lower, upper, ascending, offset }) {
      const [asOf, ...cells] = (await run(CELLS, [prefix, ...groups])) as [string, ...string[][]]
      const asked = cells.flatMap((own, i) =>
        own.filter((cell) => cell !== '~' && includes(cell)).flatMap((cell) => [groups[i] ?? '', cell]),
      )
      const bounds = [lower, upper].map((place) => (place === undefined ? '' : placeText(place)))
      const question = [prefix, ...bounds, ascending ? '1' : '0', String(offset), ...asked]
      const [total, entry] = (await run(SELECT, question)) as [number, string?]
      const place = entry === undefined ? undefined : placeFrom(entry)
      return { total: Number(total), place, rcu: 0, rounds: 2, asOf: Number(asOf) || undefined }
    },
    state: async () => (await readState()).state,
    async create() {
      await speak(['SET', `${prefix}state`, 'ready:1', 'NX'])
    },
    async fill(): Promise<ListsFilling> {
      const generation = (await readState()).generation + 1
      await speak(['SET', `${prefix}state`, `filling:${generation}`])
      await tidy(generation)
      return {
        async add(entries) {
          for (let i = 0; i < entries.length; i += STEPS_AT_ONCE) {
            const part = entries.slice(i, i + STEPS_AT_ONCE)
            const args = part.flatMap(({ group, cell, place }) => [group, cell, placeText(place)])
            await run(FILL, [prefix, String(generation), ...args])
          }
        },
        async finish() {
          await speak(['SET', `${prefix}state`, `ready:${generation}`])
          await tidy(generation)
        },
        isGivenUp: () => false,
      }
    },
    async apply(shardId, changes) {
      const steps = changes.flatMap(({ sequenceNumber, steps: own }) =>
        own.map(({ op, group, cell, place }) => [sequenceNumber, op, group, cell, placeText(place)]),
      )
      const times = new Map(changes.map(({ sequenceNumber, at = 0 }) => [sequenceNumber, at]))
      for (const part of inParts(steps)) {
        const at = times.get(part.at(-1)?.[0] ?? '') ?? 0
        await run(APPLY, [prefix, String(Math.round(at)), String(MARK_SECONDS), ...part.flat()], shardId)
      }
    },
    async inspect(): Promise<ListsInspection> {
      const { generation } = await readState()
      const own = `${generation}:`
      const cellsOf = async (group: string): Promise<readonly string[]> =>
        ((await speak(['SMEMBERS', `${prefix}${own}${group}`])) as string[]).filter((cell) => cell !== '~')
      return {
        groupOf: () => undefined,
        async *groups() {
          for await (const group of allGroups()) if (group.startsWith(own)) yield group.slice(own.length)
        },
        async *entries(group) {
          for (const cell of await cellsOf(group)) {
            for (let from = '-'; ; ) {
              const range = [
                'ZRANGEBYLEX',
                `${prefix}${own}${group}#${cell}`,
                from,
                '+',
                'LIMIT',
                '0',
                String(STEPS_AT_ONCE),
              ]
              const texts = (await speak(range)) as string[]
              yield texts.map((text) => ({ group, cell, place: placeFrom(text) }))
              if (texts.length < STEPS_AT_ONCE) break
              from = `(${texts.at(-1)}`
            }
          }
        },
        async cellAt(group, place, first) {
          const cells = await cellsOf(group)
          for (const cell of [...cells.filter((each) => each === first), ...cells]) {
            const score = await speak(['ZSCORE', `${prefix}${own}${group}#${cell}`, placeText(place)])
            if (score !== null) return cell
          }
          return undefined
        },
      }
    },
    async validate(group) {
      const { generation } = await readState()
      const cells = (await speak(['SMEMBERS', `${prefix}${generation}:${group}`])) as string[]
      for (const cell of cells) {
        const size = await speak(['ZCARD', `${prefix}${generation}:${group}#${cell}`])
        if (Number(size) === 0) throw new Error(`the list ${cell} of ${group} is known and has no entries`)
      }
    },
  }
}

/** Steps of one change stay together, since a change is taken in once. */
function inParts(steps: readonly (readonly string[])[]): readonly (readonly (readonly string[])[])[] {
  const parts: (readonly string[])[][] = []
  for (const step of steps) {
    const last = parts.at(-1)
    if (last === undefined || (last.length >= STEPS_AT_ONCE && last.at(-1)?.[0] !== step[0])) parts.push([step])
    else last.push(step)
  }
  return parts
}

const digests = new Map<string, string>()

/** Scripts are sent once, and then named by their digest. */
async function evaluate(
  speak: SendToRedis,
  script: string,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const digest = digests.get(script) ?? createHash('sha1').update(script).digest('hex')
  digests.set(script, digest)
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await speak(['EVALSHA', digest, ...rest])
  } catch (error) {
    if (!(error instanceof Error) || !/NOSCRIPT/.test(String(error.cause ?? error))) throw error
    return speak(['EVAL', script, ...rest])
  }
}

/** What goes wrong with Redis is no fault of the question. */
function speakTo(send: SendToRedis): SendToRedis {
  return async (command) => {
    try {
      return await send(command)
    } catch (cause) {
      throw new LapidaryError('unavailable', `the page index in Redis does not answer ${command[0]}: ${brief(cause)}`, {
        cause,
      })
    }
  }
}

/** A reply that is an error begins with its code. */
const ERROR_REPLY = /^[A-Z]+ /

/** What Redis says itself, or how its client's error is called; where the server is stays in the log. */
function brief(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (ERROR_REPLY.test(cause.message)) return cause.message
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' ? code : cause.name
}
