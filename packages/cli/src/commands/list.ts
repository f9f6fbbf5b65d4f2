import type { Command } from 'commander'
import type { AnyCollection, Item, Page, QueryInput } from 'lapidary'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { jsonOf } from '../json-of.ts'
import { addPageOptions, type PageFlags, queryInput, queryOrder, readChosenPage } from '../query-options.ts'
import { openSession } from '../session.ts'
import { textTable } from '../text-table.ts'

/** `lapidary list --scope 42 --where language=en --where rating=4,5`. */
export const listCommand: CliCommand = {
  register(program, run) {
    addPageOptions(program.command('list'))
      .description('a page of a list')
      .action((_flags: unknown, command: Command) => runList(optionsOf(command), run))
  },
}

async function runList(flags: PageFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  const query = queryInput(session.collection, flags)
  await session.requireTable()
  const page = await readChosenPage(session.items, query, flags, terminal.signal)
  await terminal.write(
    flags.json === true ? `${jsonOf(page)}\n` : pageText(session.collection, page, terminal.columns, query),
  )
}

/** The order and the id are never cut. */
const ORDER_AND_ID = 2

function pageText(
  collection: AnyCollection,
  { items, page, cursors, plan }: Page<unknown>,
  columns: number,
  query: QueryInput,
): string {
  const names = columnsOf(collection, items as readonly Item[], query)
  const parts =
    items.length === 0
      ? ['no items\n']
      : [
          textTable(
            names,
            (items as readonly Item[]).map((item) =>
              names.map((name) => (Object.hasOwn(item, name) ? item[name] : undefined)),
            ),
            columns,
            ORDER_AND_ID,
          ),
        ]
  parts.push(`\n${count(items.length, 'item')}; ${plan.text}\n`)
  if (page.number !== null && page.count !== null) {
    const isPast = page.number > Math.max(page.count, 1)
    const place = isPast
      ? `page ${page.number} is past the end of ${count(page.count, 'page')}`
      : `page ${page.number} of ${page.count}`
    const { pageIndex } = plan
    const took = pageIndex && `; page index: ${count(pageIndex.rcu)} RCU, ${count(pageIndex.rounds, 'round')}`
    parts.push(`${place}, ${count(page.total ?? 0, 'item')} in all${took ?? ''}\n`)
  }
  if (cursors.next !== null) parts.push(`next:     --cursor ${cursors.next}\n`)
  if (cursors.previous !== null) parts.push(`previous: --cursor ${cursors.previous}\n`)
  return parts.join('')
}

/** Chooses the columns: the order first, as lists go by it; the scope where the query does not name one. */
function columnsOf(collection: AnyCollection, items: readonly Item[], query: QueryInput): string[] {
  const { attributes, id, facets, scope, version, updatedAt } = collection
  const order = queryOrder(collection, query.by)
  const declared = Object.entries(attributes ?? {}).filter(([, { shownIn }]) => shownIn === 'list')
  const rest = attributes === undefined ? items.flatMap((item) => Object.keys(item)) : declared.map(([name]) => name)
  const hidden = new Set([...(typeof query.scope === 'string' ? [scope.attribute] : []), version, updatedAt])
  return [...new Set([order.attribute, id, scope.attribute, ...Object.keys(facets), ...rest])].filter(
    (name) => name === order.attribute || !hidden.has(name),
  )
}
