import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useTemporaryFolder } from '../../../../test/temporary-folder.ts'
import { type DiskChange, type DiskLists, openDiskLists } from '../../src/file/index.ts'

const temporary = useTemporaryFolder()
const READER = fileURLToPath(new URL('read_folder.py', import.meta.url))

const name = fc.constantFrom('', 'a', 'PRODUCT#42/en/5', 'x'.repeat(40), '\u0000\u00ff')
const member = fc.oneof(
  { weight: 10, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 30 }) },
  // Packed where it fits, six bits a character.
  { weight: 10, arbitrary: fc.stringMatching(/^[0-9A-Za-z_-]{18,30}$/) },
  { weight: 1, arbitrary: fc.constantFrom('m'.repeat(3_000), '\u00e9'.repeat(65_536)) },
)
const change: fc.Arbitrary<DiskChange> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      type: fc.constant('set'),
      list: name,
      member,
      score: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('remove'), list: name, member }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('drop'), list: name }) },
)

function contentOf(lists: DiskLists): Record<string, readonly (readonly [string, number])[]> {
  const { items } = lists.lists(100)
  return Object.fromEntries(
    items.map((list) => [
      list,
      lists.slice(list, 0, lists.count(list)).map((entry) => [entry.member, entry.score + 0]),
    ]),
  )
}

test('a folder is read by a program in another language that knows the documented bytes alone', async () => {
  const changes = fc.array(change, { minLength: 1, maxLength: 200, size: 'max' })
  const histories = fc.array(changes, { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.integer({ min: 10, max: 40 }),
      fc.boolean(),
      async (history, memberBytes, isClosed) => {
        const folder = mkdtempSync(join(temporary.path, 'lists-'))
        const lists = await openDiskLists({ folder, memberBytes })
        for (const [i, batch] of history.entries()) {
          await lists.apply(batch)
          if (i === 0) await lists.commit()
        }
        const expected = contentOf(lists)
        if (isClosed) await lists.close()
        const { stdout } = await promisify(execFile)('python3', [READER, folder], { maxBuffer: 2 ** 26 })
        const read: Record<string, [string, number][]> = JSON.parse(stdout)
        // Zero has a sign in the file, and none in JSON.
        for (const entry of Object.values(read).flat()) entry[1] += 0
        expect(read).toEqual(expected)
        await lists.close()
      },
    ),
    { numRuns: 12 },
  )
})
