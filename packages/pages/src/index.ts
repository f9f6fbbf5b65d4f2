/** @module lapidary-pages */

export type { SendToRedis } from './redis/open-sets.ts'
export { type RedisListsOptions, redisLists } from './redis/redis-lists.ts'
export { type EmbeddedPostgres, type PgliteListsOptions, pgliteLists } from './sql/pglite-lists.ts'
export { type RelationalListsOptions, relationalLists } from './sql/relational-lists.ts'
export type { SendSql } from './sql/sql-client.ts'
