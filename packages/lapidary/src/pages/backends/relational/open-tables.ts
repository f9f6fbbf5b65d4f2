import { LapidaryError } from '../../../model/errors.ts'
import type { LoadedLists } from '../../loaded-lists.ts'
import type { Place } from '../../place.ts'
import type { ListEntry, ListStep, ListsFilling, ListsState, PageStoreContext } from '../../sorted-lists.ts'
import { NODE_LIMITS, type NodeLimits } from './edit-functions.ts'
import { inspectEntries } from './inspect-entries.ts'
import { migrate, quoted } from './migrations.ts'
import { type QuerySql, querying, type SendSql } from './sql-client.ts'
import { hexOf, textOf } from './texts.ts'
import { validateGroup } from './validate.ts'

const STEPS_AT_ONCE = 1_000
const REMOVED_AT_ONCE = 20_000
const TABLES = ['entries', 'nodes', 'counts', 'groups', 'cells']
const BEFORE_ALL = '-Infinity'
const BEHIND_ALL = 'NaN'

/** Opens the tables for one collection. */
export type OpenTables = (context: Pick<PageStoreContext, 'namespace' | 'table'>) => LoadedLists

/** The tables of a schema, made at the first question of any collection. */
export function tablesOf(
  send: SendSql,
  {
    name,
    schema,
    limits = NODE_LIMITS,
  }: { readonly name: string; readonly schema: string; readonly limits: NodeLimits | undefined },
): OpenTables {
  let migrated: Promise<void> | undefined
  return ({ namespace, table }) => {
    const plain = querying(send, name, table)
    const query: QuerySql = async (statement, values) => {
      migrated ??= migrate(plain, schema, { limits })
      const own = migrated
      try {
        await own
      } catch (error) {
        // The next question tries anew.
        if (migrated === own) migrated = undefined
        throw error
      }
      return plain(statement, values)
    }
    return openLists(query, quoted(schema), limits, hexOf(`${table.tableName}/${namespace}`))
  }
}

function openLists(query: QuerySql, schema: string, limits: NodeLimits, namespace: string): LoadedLists {
  const own = "namespace = decode($1::text, 'hex')"
  const cellsOf = (groups: readonly string[]) =>
    query(
      `SELECT g.id::text AS group_id, c.cell::text AS cell, encode(c.name, 'hex') AS name,
        (SELECT max(m.as_of)::text FROM ${schema}.marks AS m WHERE m.index_id = i.id) AS as_of
      FROM ${schema}.indexes AS i
      JOIN ${schema}.groups AS g ON g.index_id = i.id AND g.generation = i.generation
      JOIN ${schema}.cells AS c ON c.group_id = g.id
      WHERE i.${own} AND g.name = ANY (ARRAY(SELECT decode(n.name, 'hex') FROM unnest($2::text::text[]) AS n(name)))`,
      [namespace, `{${groups.map(hexOf).join(',')}}`],
    )
  const removeBefore = async (generation: number): Promise<void> => {
    const statement = `SELECT ${schema}.tidy_generations(decode($1::text, 'hex'), $2::text::integer, ${REMOVED_AT_ONCE})::text AS more`
    while ((await query(statement, [namespace, String(generation)]))[0]?.more === 'true');
  }
  return {
    async select({ groups, includes, lower, upper, ascending, offset }) {
      const cells = await cellsOf(groups)
      const asked = cells.filter(({ name }) => includes(textOf(name)))
      const [first] = asked
      if (first === undefined) return { total: 0, place: undefined, rcu: 0, rounds: 1 }
      const isOne = asked.every(({ group_id }) => group_id === first.group_id)
      const [row] = await query(
        `SELECT total::text AS total, score::text AS score, encode(member, 'hex') AS member FROM ${schema}.select_place(
          $1::text::${isOne ? 'bigint' : 'bigint[]'}, $2::text::integer[],
          $3::text::double precision, decode($4::text, 'hex'), $5::text::double precision, decode($6::text, 'hex'),
          $7::text::boolean, $8::text::bigint)`,
        [
          isOne ? String(first.group_id) : `{${asked.map(({ group_id }) => group_id).join(',')}}`,
          `{${asked.map(({ cell }) => cell).join(',')}}`,
          ...[...boundOf(lower, BEFORE_ALL), ...boundOf(upper, BEHIND_ALL)],
          ...[String(ascending), String(offset)],
        ],
      )
      const { total = '0', score = null, member = null } = row ?? {}
      const place = score === null ? undefined : { score: Number(score), member: textOf(member) }
      return { total: Number(total), place, rcu: 0, rounds: 2, asOf: Number(first.as_of ?? 0) || undefined }
    },
    async state() {
      const [row] = await query(`SELECT state FROM ${schema}.indexes WHERE ${own}`, [namespace])
      return (row?.state ?? 'absent') as ListsState
    },
    async create() {
      await query(
        `INSERT INTO ${schema}.indexes (namespace, state, generation) VALUES (decode($1::text, 'hex'), 'ready', 1)
        ON CONFLICT DO NOTHING`,
        [namespace],
      )
    },
    async fill(): Promise<ListsFilling> {
      const [row] = await query(
        `INSERT INTO ${schema}.indexes AS i (namespace, state, generation) VALUES (decode($1::text, 'hex'), 'filling', 1)
        ON CONFLICT (namespace) DO UPDATE SET state = 'filling', generation = i.generation + 1
        RETURNING generation::text AS generation`,
        [namespace],
      )
      const generation = Number(row?.generation)
      // A question that is under way may still read the lists that are given up now; it does not read older ones.
      await removeBefore(generation - 1)
      return {
        async add(entries) {
          for (let i = 0; i < entries.length; i += STEPS_AT_ONCE) {
            const steps = entries.slice(i, i + STEPS_AT_ONCE).map((entry) => stepText('1', { op: 'add', ...entry }))
            const [filled] = await query(
              `SELECT ${schema}.fill_entries(decode($1::text, 'hex'), $2::text::integer, $3::text::json)::text AS done`,
              [namespace, String(generation), `[${steps.join(',')}]`],
            )
            if (filled?.done !== 'true') throw overtaken()
          }
        },
        async finish() {
          const done = await query(
            `UPDATE ${schema}.indexes SET state = 'ready' WHERE ${own} AND state = 'filling'
              AND generation = $2::text::integer RETURNING id::text AS id`,
            [namespace, String(generation)],
          )
          const id = done[0]?.id
          if (id === undefined) throw overtaken()
          await removeBefore(generation)
          await query(
            `DELETE FROM ${schema}.entries WHERE cell = 0 AND group_id IN (
              SELECT id FROM ${schema}.groups WHERE index_id = $1::text::integer AND generation = $2::text::integer)`,
            [String(id), String(generation)],
          )
          // What a filling leaves behind is room for later ones. PGlite has no process that sees to it.
          await query(`VACUUM (ANALYZE) ${TABLES.map((table) => `${schema}.${table}`).join(', ')}`, []).catch(() => [])
        },
        isGivenUp: () => false,
      }
    },
    async apply(shardId, changes) {
      const steps = changes.flatMap(({ sequenceNumber, at = 0, steps: each }) =>
        each.map((step) => ({ sequenceNumber, at, text: stepText(sequenceNumber, step) })),
      )
      const statement = `SELECT ${schema}.apply_steps(
        decode($1::text, 'hex'), $2::text, $3::text::double precision, $4::text::json)::text AS done`
      for (const part of inParts(steps)) {
        const asOf = String(part.at(-1)?.at ?? 0)
        await query(statement, [namespace, shardId, asOf, `[${part.map(({ text }) => text).join(',')}]`])
      }
    },
    inspect: () => inspectEntries(query, schema, namespace),
    async validate(group) {
      const [row] = await cellsOf([group])
      if (row !== undefined) await validateGroup(query, schema, limits, String(row.group_id))
    },
  }
}

function overtaken(): LapidaryError {
  return new LapidaryError('unavailable', 'another process began to fill the page index; this one stops')
}

/** Names and members are in hexadecimal. */
function stepText(sequenceNumber: string, { op, group, cell, place }: ListStep | (ListEntry & { op: 'add' })): string {
  return JSON.stringify([sequenceNumber, op, hexOf(group), hexOf(cell), String(place.score), hexOf(place.member)])
}

function boundOf(place: Place | undefined, absent: string): readonly [score: string, member: string] {
  return place === undefined ? [absent, ''] : [String(place.score), hexOf(place.member)]
}

/** Steps of one change stay together, since a change is taken in once. */
function inParts<S extends { readonly sequenceNumber: string }>(steps: readonly S[]): readonly (readonly S[])[] {
  const parts: S[][] = []
  for (const step of steps) {
    const last = parts.at(-1)
    const isOther = last?.at(-1)?.sequenceNumber !== step.sequenceNumber
    if (last === undefined || (last.length >= STEPS_AT_ONCE && isOther)) parts.push([step])
    else last.push(step)
  }
  return parts
}
