import { totalmem } from 'node:os'
import type { CommandContext } from './command.ts'
import { REDIS_VERSION } from './redis-version.ts'

type Fields = Readonly<Record<string, string | number>>

const MICROSECONDS = 1_000

/** The fields of INFO, by section. */
export const SECTIONS: Readonly<Record<string, (context: CommandContext) => Fields>> = {
  Server: ({ server }) => {
    const uptime = Math.floor((Date.now() - server.startedAt) / 1_000)
    return {
      redis_version: REDIS_VERSION,
      redis_mode: 'standalone',
      server_name: 'lapidary',
      os: `${process.platform} ${process.arch}`,
      arch_bits: 64,
      process_id: process.pid,
      tcp_port: server.port,
      server_time_usec: Date.now() * MICROSECONDS,
      uptime_in_seconds: uptime,
      uptime_in_days: Math.floor(uptime / 86_400),
    }
  },
  Clients: ({ server }) => ({
    connected_clients: server.connections,
    maxclients: server.maxClients,
    blocked_clients: server.waiting.size,
    total_blocking_keys: server.waiting.lists,
    watching_clients: server.watched.clients,
    total_watched_keys: server.watched.size,
  }),
  Memory: () => {
    const { rss, heapUsed, external } = process.memoryUsage()
    const peak = process.resourceUsage().maxRSS * 1_024
    return {
      ...withHuman('used_memory', heapUsed + external),
      ...withHuman('used_memory_rss', rss),
      ...withHuman('used_memory_peak', peak),
      ...withHuman('total_system_memory', totalmem()),
      ...withHuman('maxmemory', 0),
      maxmemory_policy: 'noeviction',
      mem_fragmentation_ratio: (rss / (heapUsed + external)).toFixed(2),
      mem_allocator: 'v8',
    }
  },
  Persistence: ({ lists }) => {
    const { generation, baseEntries, baseBytes, logBytes } = lists.status()
    return {
      loading: 0,
      rdb_bgsave_in_progress: 0,
      aof_enabled: 1,
      aof_rewrite_in_progress: 0,
      aof_current_size: logBytes,
      lapidary_generation: generation,
      lapidary_base_entries: baseEntries,
      lapidary_base_bytes: baseBytes,
      lapidary_log_bytes: logBytes,
    }
  },
  Stats: ({ server: { statistics } }) => ({
    total_connections_received: statistics.connections,
    total_commands_processed: statistics.calls,
    rejected_connections: statistics.refusedConnections,
    expired_keys: 0,
    evicted_keys: 0,
    total_error_replies: [...statistics.errors.values()].reduce((sum, count) => sum + count, 0),
    rejected_passwords: statistics.refusedPasswords,
  }),
  Replication: () => ({ role: 'master', connected_slaves: 0, master_repl_offset: 0 }),
  CPU: () => {
    const { system, user } = process.cpuUsage()
    const seconds = (microseconds: number): string => (microseconds / 1_000_000).toFixed(6)
    return { used_cpu_sys: seconds(system), used_cpu_user: seconds(user) }
  },
  Commandstats: ({ server: { statistics } }) =>
    Object.fromEntries(
      Array.from(statistics.uses, ([{ name }, { calls, ms, rejected, failed }]) => {
        const usec = ms * MICROSECONDS
        const time = `usec=${Math.round(usec)},usec_per_call=${(usec / Math.max(1, calls)).toFixed(2)}`
        return [`cmdstat_${name}`, `calls=${calls},${time},rejected_calls=${rejected},failed_calls=${failed}`]
      }),
    ),
  Errorstats: ({ server: { statistics } }) =>
    Object.fromEntries(Array.from(statistics.errors, ([kind, count]) => [`errorstat_${kind}`, `count=${count}`])),
  Keyspace: ({ lists }): Fields => {
    const { lists: count } = lists.status()
    return count === 0 ? {} : { db0: `keys=${count},expires=0,avg_ttl=0` }
  },
}

/** Writes a number of bytes, plain and as people read it. */
function withHuman(name: string, bytes: number): Fields {
  return { [name]: bytes, [`${name}_human`]: human(bytes) }
}

function human(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return power === 0 ? `${bytes}B` : `${(bytes / 1_024 ** power).toFixed(2)}${' KMGT'[power]}`
}
