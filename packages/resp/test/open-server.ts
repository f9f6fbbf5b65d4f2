import { type DiskLists, openDiskLists } from 'lapidary-pages/file'
import { type RespServer, type RespServerOptions, startRespServer } from 'lapidary-resp'
import { afterEach, beforeEach } from 'vitest'
import { useTemporaryFolder } from '../../../test/temporary-folder.ts'

/** Lists on disk for each test of a file, and the servers that it starts on them. */
export interface ServedLists {
  readonly folder: string
  lists: DiskLists
  /** Resources that end with the test, before the lists. */
  readonly open: AsyncDisposable[]
  start(options?: Partial<RespServerOptions>): Promise<RespServer>
}

/** Opens lists for each test of a file. The file itself first ends whatever it has opened on its servers. */
export function useServedLists(): ServedLists {
  const folder = useTemporaryFolder()
  const served: ServedLists = {
    get folder() {
      return folder.path
    },
    lists: undefined as never,
    open: [],
    async start(options = {}) {
      const server = await startRespServer({ lists: served.lists, port: 0, ...options })
      served.open.push(server)
      return server
    },
  }
  beforeEach(async () => {
    served.lists = await openDiskLists({ folder: folder.path })
  })
  afterEach(async () => {
    for (const one of served.open.splice(0)) await one[Symbol.asyncDispose]()
    await served.lists.close()
  })
  return served
}
