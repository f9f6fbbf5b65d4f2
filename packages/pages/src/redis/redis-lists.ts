import type { PageStore } from 'lapidary'
import { knownOptions, loadedLists, type OptionNames } from 'lapidary/internal'
import type { SendToRedis } from './open-sets.ts'

/** What `redisLists` takes. */
export interface RedisListsOptions {
  /** Of ioredis `([name, ...args]) => redis.call(name, ...args)`, of node-redis `(command) => redis.sendCommand([...command])`. */
  readonly send: SendToRedis
  /** Lets go of the client, where nothing else uses it. */
  readonly close?: () => void
  /** What all keys begin with; `lapidary` when not given. */
  readonly prefix?: string
}

const NAMES: OptionNames<RedisListsOptions> = { send: true, close: true, prefix: true }

/**
 * Sorted lists in Redis or Valkey: a sorted set for each list, and for each shard the last change that is in, moved in the same
 * script. On a cluster all keys of a collection are on one node.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 *
 * const redis = new Redis('redis://127.0.0.1:6379')
 * const pages = redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args) })
 * ```
 */
export function redisLists(options: RedisListsOptions): PageStore {
  const { send, close, prefix = 'lapidary' } = knownOptions('redisLists', options, NAMES, 'declaration_invalid')
  const name = 'redis'
  return {
    name,
    apart: true,
    open: ({ namespace, table }) =>
      loadedLists(
        name,
        async () => (await import('./open-sets.ts')).openSets(send, `${prefix}:{${table.tableName}/${namespace}}:`),
        { close: async () => close?.() },
      ),
  }
}
