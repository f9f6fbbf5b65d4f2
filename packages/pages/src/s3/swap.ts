import { type Manifest, manifestText, type NamedObject, parseManifest } from './manifest.ts'
import { Conflict, type Objects } from './objects.ts'

/** The one object that is written again. */
export const MANIFEST = 'manifest.json'
export const MOST_TRIES = 20

/** Lists the objects that a manifest names. */
export function keysIn({ base, fences, logs }: Manifest): readonly string[] {
  return [base, fences, ...logs].map(({ key }) => key)
}

/**
 * Swaps the manifest for one that names new objects, and removes those when another process was faster. A client that does not hear of
 * its success tries again and meets itself, so what is there says whether it was.
 */
export async function unlessConflict<T>(
  objects: Objects,
  named: readonly NamedObject[],
  swap: () => Promise<T>,
): Promise<T> {
  try {
    return await swap()
  } catch (error) {
    if (error instanceof Conflict) {
      const { bytes } = await objects.read(MANIFEST)
      const kept = new Set(keysIn(parseManifest(MANIFEST, bytes)))
      await objects.remove(named.map(({ key }) => key).filter((key) => !kept.has(key)))
    }
    throw error
  }
}

/** Puts a merged base in the place of another and its first logs; undefined when another process has merged the same logs. */
export async function swapBase(
  objects: Objects,
  before: NamedObject,
  merged: Pick<Manifest, 'generation' | 'base' | 'fences'>,
  count: number,
): Promise<Manifest | undefined> {
  for (let tries = 1; ; tries++) {
    const { bytes, tag } = await objects.read(MANIFEST)
    const manifest = parseManifest(MANIFEST, bytes)
    if (manifest.base.key === merged.base.key) return manifest
    if (manifest.base.key !== before.key) return undefined
    const next: Manifest = {
      ...manifest,
      ...merged,
      logs: manifest.logs.slice(count),
      sealed: Math.max(0, manifest.sealed - count),
    }
    try {
      await objects.write(MANIFEST, manifestText(next), { tag })
      return next
    } catch (error) {
      if (!(error instanceof Conflict) || tries === MOST_TRIES) throw error
    }
  }
}
