import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { intercepted } from './intercept.ts'
import { isWrite } from './write-commands.ts'

/** A client whose indexes show a write later, or never. */
export interface LateLists {
  readonly client: DynamoDBClient
  /** From now on indexes show nothing of what is written. */
  hold(): void
}

/**
 * Makes a client of a table whose indexes stand still from a moment on, as those of DynamoDB are behind by some moments. Queries of an index are
 * answered by a copy of the table, which is written to along with it until then.
 *
 * @param copyName A table that is there, with the indexes of the other.
 * @example
 * ```ts
 * const late = lateLists(client, 'comments', 'comments-copy')
 * late.hold()
 * ```
 */
export function lateLists(client: DynamoDBClient, tableName: string, copyName: string): LateLists {
  let isHeld = false
  return {
    client: intercepted<DynamoDBClient>(client, async (command, send) => {
      if (command instanceof QueryCommand && command.input.IndexName !== undefined)
        return send(new QueryCommand({ ...command.input, TableName: copyName }))
      const answer = await send(command)
      // A change that the copy can't take is one that a later one has overtaken.
      if (!isHeld && isWrite(command)) await send(copied(command, tableName, copyName)).catch(() => {})
      return answer
    }),
    hold: () => {
      isHeld = true
    },
  }
}

/** The same command for the copy. */
function copied(command: object, from: string, to: string): object {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed)
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name === from ? to : name,
        name === 'TableName' && inner === from ? to : renamed(inner),
      ]),
    )
  }
  const { input, constructor: Command } = command as { readonly input: object; readonly constructor: unknown }
  return new (Command as new (input: unknown) => object)(renamed(input))
}
