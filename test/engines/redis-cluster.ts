import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startRedis, type TestRedis } from './redis.ts'

/** Three nodes of a Redis Cluster of a test's own; each has a third of the slots. */
export interface TestRedisCluster extends AsyncDisposable {
  readonly ports: readonly number[]
  /** Moves every slot that has keys to the next node, some keys at a time, as `redis-cli --cluster reshard` does. */
  reshard(): Promise<void>
}

const NODES = 3
const SLOTS = 16_384
const MOVED_AT_ONCE = 2
const MOVE_MS = 20

export async function startRedisCluster(): Promise<TestRedisCluster> {
  const servers: TestRedis[] = []
  const nodes: Redis[] = []
  async function close(): Promise<void> {
    for (const node of nodes) node.disconnect()
    for (const server of servers) await server[Symbol.asyncDispose]()
  }
  try {
    for (let i = 0; i < NODES; i++) servers.push(await startRedis('redis', ['--cluster-enabled', 'yes']))
    nodes.push(...servers.map(({ url }) => new Redis(url)))
    for (const [i, node] of nodes.entries()) {
      const [from, to] = [i, i + 1].map((part) => Math.floor((part * SLOTS) / NODES)) as [number, number]
      await node.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1)
      await node.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
    }
    const [first, ...others] = nodes as [Redis, ...Redis[]]
    for (const { port } of servers.slice(1)) await first.call('CLUSTER', 'MEET', '127.0.0.1', port)
    for (const node of [first, ...others]) await untilWhole(node)
  } catch (error) {
    await close()
    throw error
  }

  async function move(slot: number, from: number): Promise<void> {
    const to = (from + 1) % NODES
    const [source, target] = [nodes[from], nodes[to]] as [Redis, Redis]
    const [sourceId, targetId] = (await Promise.all([source, target].map((node) => node.call('CLUSTER', 'MYID')))) as [
      string,
      string,
    ]
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId)
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId)
    for (;;) {
      const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, MOVED_AT_ONCE)) as string[]
      if (keys.length === 0) break
      const { port } = servers[to] as TestRedis
      await source.call('MIGRATE', '127.0.0.1', port, '', 0, 5_000, 'KEYS', ...keys)
      // Writes meanwhile meet a slot that is half here, half there.
      await sleep(MOVE_MS)
    }
    for (const node of [target, source]) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId)
  }

  return {
    ports: servers.map(({ port }) => port),
    async reshard() {
      const held = await Promise.all(nodes.map((node) => node.keys('*')))
      const slots = await Promise.all(
        held.map(async (keys, i) => {
          const all = await Promise.all(keys.map((key) => (nodes[i] as Redis).cluster('KEYSLOT', key)))
          return new Set(all)
        }),
      )
      for (const [from, own] of slots.entries()) for (const slot of own) await move(slot, from)
    },
    [Symbol.asyncDispose]: close,
  }
}

async function untilWhole(node: Redis): Promise<void> {
  for (;;) {
    const state = String(await node.call('CLUSTER', 'INFO'))
    if (state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${NODES}`)) return
    await sleep(20)
  }
}
