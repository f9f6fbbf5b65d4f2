import type { ListsInspection } from '../../sorted-lists.ts'
import type { QuerySql } from './sql-client.ts'
import { hexOf, textOf } from './texts.ts'

const AT_ONCE = 1_000

/** The place before all others. */
const FIRST = { score: '-Infinity', member: '' }

/**
 * Every entry of the generation that answers now, some at a time.
 *
 * @param schema Quoted.
 * @param namespace In hexadecimal.
 */
export async function inspectEntries(query: QuerySql, schema: string, namespace: string): Promise<ListsInspection> {
  const [index] = await query(
    `SELECT id::text AS id, generation::text AS generation FROM ${schema}.indexes WHERE namespace = decode($1::text, 'hex')`,
    [namespace],
  )
  // None is called so where there is no index.
  const own = [index?.id ?? '0', index?.generation ?? '0']
  const groupIdOf = async (group: string): Promise<string | undefined> => {
    const [row] = await query(
      `SELECT id::text AS id FROM ${schema}.groups
      WHERE index_id = $1::text::integer AND generation = $2::text::integer AND name = decode($3::text, 'hex')`,
      [...own, hexOf(group)],
    )
    return row?.id ?? undefined
  }
  return {
    groupOf: () => undefined,
    async *groups() {
      for (let after: string | null | undefined = ''; after !== undefined; ) {
        const rows = await query(
          `SELECT encode(name, 'hex') AS name FROM ${schema}.groups
          WHERE index_id = $1::text::integer AND generation = $2::text::integer AND name > decode($3::text, 'hex')
          ORDER BY name LIMIT ${AT_ONCE}`,
          [...own, after],
        )
        for (const { name } of rows) yield textOf(name)
        after = rows.length < AT_ONCE ? undefined : rows.at(-1)?.name
      }
    },
    async *entries(group) {
      const groupId = await groupIdOf(group)
      if (groupId === undefined) return
      for (let { score, member } = FIRST, isMore = true; isMore; ) {
        const rows = await query(
          `SELECT e.score::text AS score, encode(e.member, 'hex') AS member, encode(c.name, 'hex') AS cell
          FROM ${schema}.entries AS e LEFT JOIN ${schema}.cells AS c ON c.group_id = e.group_id AND c.cell = e.cell
          WHERE e.group_id = $1::text::bigint AND e.cell <> 0
            AND (e.score, e.member) > ($2::text::double precision, decode($3::text, 'hex'))
          ORDER BY e.score, e.member LIMIT ${AT_ONCE}`,
          [groupId, score, member],
        )
        yield rows.map((row) => ({
          ...{ group, cell: textOf(row.cell) },
          place: { score: Number(row.score), member: textOf(row.member) },
        }))
        isMore = rows.length === AT_ONCE
        score = rows.at(-1)?.score ?? score
        member = rows.at(-1)?.member ?? member
      }
    },
    async cellAt(group, { score, member }) {
      const [row] = await query(
        `SELECT encode(c.name, 'hex') AS cell
        FROM ${schema}.entries AS e LEFT JOIN ${schema}.cells AS c ON c.group_id = e.group_id AND c.cell = e.cell
        WHERE e.group_id = $1::text::bigint AND e.cell <> 0
          AND e.score = $2::text::double precision AND e.member = decode($3::text, 'hex')`,
        [(await groupIdOf(group)) ?? '0', String(score), hexOf(member)],
      )
      return row && textOf(row.cell)
    },
  }
}
