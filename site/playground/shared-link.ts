import type { DataGiven } from './question.ts'

/** What a link to the playground carries. */
export interface Shared {
  readonly declaration: string
  readonly query: string
  readonly data: DataGiven
}

const PREFIX = '#code='
/** Far more than a declaration has; a longer text in a link is refused before it is unpacked. */
const MOST_CHARACTERS = 60_000

/** Packs a state into the part of an address that no server is sent. */
export async function linkOf(shared: Shared): Promise<string> {
  const packed = new Blob([JSON.stringify(shared)]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer())
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return `${PREFIX}${text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`
}

/** Reads a state from an address; undefined where there is none that can be read. */
export async function sharedIn(hash: string): Promise<Shared | undefined> {
  if (!hash.startsWith(PREFIX) || hash.length > MOST_CHARACTERS) return undefined
  try {
    const text = atob(hash.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    return sharedFrom(JSON.parse(await readText(stream)))
  } catch {
    return undefined
  }
}

/** Reads a stream to its end, or no further than a text may be: some bytes unpack to gigabytes. */
async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value
    if (text.length > MOST_CHARACTERS) throw new Error('too long')
  }
  return text
}

function sharedFrom(given: unknown): Shared | undefined {
  const { declaration, query, data } = (given ?? {}) as Partial<Record<keyof Shared, unknown>>
  if (typeof declaration !== 'string' || typeof query !== 'string') return undefined
  return { declaration, query, data: typeof data === 'object' && data !== null ? (data as DataGiven) : {} }
}
