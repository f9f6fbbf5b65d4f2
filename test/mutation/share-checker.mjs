import { hash } from 'node:crypto'

/** Lets a share of the mutants pass, in percent; the others count as refused by the compiler, and no score includes those. */
class ShareChecker {
  async init() {}

  async check(mutants) {
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        isDrawn(mutant) ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' },
      ]),
    )
  }
}

function isDrawn({ fileName, location: { start }, replacement }) {
  const file = fileName.slice(fileName.lastIndexOf('/src/'))
  const mutant = JSON.stringify([file, start.line, start.column, replacement])
  const digest = hash('sha256', `${mutant}${process.env.MUTATION_DRAW}`, 'buffer')
  return digest.readUInt32LE() < (Number(process.env.MUTATION_SHARE) / 100) * 2 ** 32
}

export const strykerPlugins = [{ kind: 'Checker', name: 'share', injectableClass: ShareChecker }]
