import type { openTrees } from './open-trees.ts'

/** Loads the code of the trees, which a program that looks up no page does without. */
export async function loadTrees(): Promise<typeof openTrees> {
  return (await import('./open-trees.ts')).openTrees
}
