import { spawnSync } from 'node:child_process'

/**
 * Returns the command that runs `command` in a network of its own, which has the loopback interface to itself: a server there is reached only
 * from there. Undefined where the system does not allow that (it takes Linux with util-linux, iproute2, and root or user namespaces).
 */
export function isolated(command: readonly string[]): readonly string[] | undefined {
  if (process.platform !== 'linux') return undefined
  canIsolate ??= spawnSync('unshare', [...within, 'true'], { stdio: 'ignore' }).status === 0
  return canIsolate ? ['unshare', ...within, ...command] : undefined
}

let canIsolate: boolean | undefined

/** Root keeps its rights over files; any other user becomes root of the new network only. */
const own = process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net']
const within = [...own, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
