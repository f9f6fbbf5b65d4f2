// A server in a process of its own, so that a test can kill it: `tsx resp-process.ts FOLDER [PASSWORD]`.
import { openDiskLists } from 'lapidary-pages/file'
import { startRespServer } from '../src/index.ts'

const [folder = '', password] = process.argv.slice(2)
const lists = await openDiskLists({ folder, commitBytes: 20_000 })
const server = await startRespServer({ lists, port: 0, ...(password === undefined ? {} : { password }) })
process.stdout.write(`${server.port}\n`)
