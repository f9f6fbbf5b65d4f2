import type { CommandContext, RespCommand } from './command.ts'
import type { CommandUse } from './command-statistics.ts'
import type { Reply } from './reply.ts'
import { failureReply } from './reply-failure.ts'

/** Runs a command that has its arguments, and notes its time and its error. */
export function runCommand(
  command: RespCommand,
  args: readonly string[],
  context: CommandContext,
  use: CommandUse,
): Reply {
  const { statistics } = context.server
  const share = statistics.countCall(use)
  const began = share > 0 ? performance.now() : 0
  let reply: Reply
  try {
    reply = command.run(args, context)
  } catch (error) {
    reply = failureReply(error)
    use.failed++
    statistics.countError(reply)
  }
  if (share > 0) use.ms += share * (performance.now() - began)
  return reply
}
