// Writes without end, so that a test can kill it: `tsx writer-process.ts FOLDER COMMIT_BYTES`.
import { openDiskLists } from 'lapidary-pages/file'

const [folder = '', commitBytes] = process.argv.slice(2)
const lists = await openDiskLists({ folder, commitBytes: Number(commitBytes) })
for (let i = lists.status().lists === 0 ? 0 : Math.floor(Math.random() * 1e9); ; i++) {
  void lists
    .apply([{ type: 'set', list: `list ${i % 7}`, member: `m${i}`, score: i }])
    .then(() => process.stdout.write(`${i}\n`))
  if (i % 20 === 0) await lists.durable()
}
