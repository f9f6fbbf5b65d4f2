import { LapidaryError, type ListsState, type PageStoreContext } from 'lapidary'
import {
  Again,
  type CommitLimits,
  compareBytes,
  NODE_SIZES,
  type NodeSizes,
  type NodeStore,
  type Row,
  type StoredNode,
  TOP,
  type TreeName,
  type TreesCommit,
} from 'lapidary/internal'
import { migrate, quoted } from './migrations.ts'
import { TOP_LEVEL } from './read-functions.ts'
import { type QuerySql, querying, type SendSql, type SqlRow } from './sql-client.ts'
import { hexOf, textOf } from './texts.ts'

const LIMITS: CommitLimits = { steps: 1_000, nodes: 1_000, nameBytes: undefined }
const GROUPS_AT_ONCE = 1_000
const TABLES = ['nodes', 'lists', 'trees']

/** Opens the nodes of one collection. */
export type OpenNodes = (context: Pick<PageStoreContext, 'namespace' | 'table'>) => NodeStore

/** The tables of a schema, made at the first question of any collection. */
export function nodesOf(
  send: SendSql,
  {
    name,
    schema,
    sizes = NODE_SIZES,
  }: { readonly name: string; readonly schema: string; readonly sizes: NodeSizes | undefined },
): OpenNodes {
  let migrated: Promise<void> | undefined
  return ({ namespace, table }) => {
    const plain = querying(send, name, table)
    const query: QuerySql = async (statement, values) => {
      migrated ??= migrate(plain, schema)
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
    return sqlNodes(query, quoted(schema), sizes, hexOf(`${table.tableName}/${namespace}`))
  }
}

/** Nodes as rows of tables. Each question is one statement, and so is a commit. */
function sqlNodes(query: QuerySql, schema: string, sizes: NodeSizes, namespace: string): NodeStore {
  const own = "namespace = decode($1::text, 'hex')"
  const keyOf = ({ generation, group }: TreeName): string[] => [namespace, String(generation), hexOf(group)]
  const state = async (): Promise<Awaited<ReturnType<NodeStore['state']>>> => {
    const [row] = await query(`SELECT state, generation::text AS generation FROM ${schema}.indexes WHERE ${own}`, [
      namespace,
    ])
    return { state: (row?.state ?? 'absent') as ListsState, generation: Number(row?.generation ?? 0) }
  }
  const removeBefore = async (generation: number): Promise<void> => {
    await query(
      `DELETE FROM ${schema}.trees WHERE generation < $2::text::integer
        AND index_id = (SELECT id FROM ${schema}.indexes WHERE ${own})`,
      [namespace, String(generation)],
    )
  }
  return {
    limits: LIMITS,
    sizes,
    mostRereads: 4,
    async top(name) {
      const rows = await query(`SELECT * FROM ${schema}.read_top($1::text, $2::text::integer, $3::text)`, keyOf(name))
      const cells = rows.filter(({ kind }) => kind === 'list').map(({ fence }) => textOf(fence))
      const asOf = Number(rows.at(-1)?.revision ?? 0)
      return {
        names: { cells, full: undefined, stored: cells.length === 0 ? undefined : { revision: String(cells.length) } },
        nodes: rows.filter(({ kind }) => kind === 'node').map(nodeFrom),
        rcu: 0,
        asOf: asOf || undefined,
      }
    },
    async nearest(name, row, fences) {
      const rows = await query(
        `SELECT * FROM ${schema}.read_nearest($1::text, $2::text::integer, $3::text, $4::text::integer, $5::text::text[])`,
        // In quotes, without which the fence of the first node would be no element.
        [...keyOf(name), String(levelOf(row)), `{${fences.map((fence) => `"${hexOf(fence)}"`).join(',')}}`],
      )
      const nodes = rows.map(nodeFrom)
      return new Map(fences.map((fence) => [fence, nodes.find((node) => compareBytes(node.fence, fence) <= 0)]))
    },
    async range(name, { row, from, to, most, descending }) {
      if (descending === true) {
        const last = await query(
          `SELECT encode(n.fence, 'hex') AS fence, n.revision::text AS revision, encode(n.data, 'base64') AS data
          FROM ${schema}.nodes AS n WHERE n.tree_id = ${schema}.tree_of($1::text, $2::text::integer, $3::text)
          AND n.level = $4::text::smallint AND n.fence >= decode($5::text, 'hex')
          AND ($6::text IS NULL OR n.fence < decode($6::text, 'hex'))
          ORDER BY n.tree_id DESC, n.level DESC, n.fence DESC LIMIT $7::text::bigint`,
          [
            ...[...keyOf(name), String(levelOf(row)), hexOf(from)],
            ...[to === undefined ? null : hexOf(to), most === undefined ? null : String(most)],
          ],
        )
        return { nodes: last.map(nodeFrom), rcu: 0 }
      }
      const rows = await query(
        `SELECT * FROM ${schema}.read_range(
          $1::text, $2::text::integer, $3::text, $4::text::integer, $5::text, $6::text, $7::text::bigint)`,
        [
          ...[...keyOf(name), String(levelOf(row)), hexOf(from)],
          ...[to === undefined ? null : hexOf(to), most === undefined ? null : String(most)],
        ],
      )
      return { nodes: rows.map(nodeFrom), rcu: 0 }
    },
    async commit({ edits, trees, mark }) {
      const [row] = await query(
        `SELECT ${schema}.commit_nodes(decode($1::text, 'hex'), $2::text, $3::text::integer,
          $4::text, $5::text, $6::text, $7::text::double precision, $8::text::json, $9::text::json)::text AS made`,
        [
          ...[namespace, trees.state, String(trees.generation)],
          ...[mark?.shardId ?? null, mark?.from.sequenceNumber ?? null, mark?.to ?? null, String(mark?.at ?? 0)],
          ...[listsText(edits), writesText(edits)],
        ],
      )
      if (row?.made === 'true') return 'made'
      if (mark === undefined && (await state()).generation !== trees.generation) throw overtaken()
      return new Again()
    },
    state,
    async create() {
      await query(
        `INSERT INTO ${schema}.indexes (namespace, state, generation) VALUES (decode($1::text, 'hex'), 'ready', 1)
        ON CONFLICT DO NOTHING`,
        [namespace],
      )
    },
    async begin() {
      const [row] = await query(
        `INSERT INTO ${schema}.indexes AS i (namespace, state, generation) VALUES (decode($1::text, 'hex'), 'filling', 1)
        ON CONFLICT (namespace) DO UPDATE SET state = 'filling', generation = i.generation + 1
        RETURNING generation::text AS generation`,
        [namespace],
      )
      const generation = Number(row?.generation)
      // A question that is under way may still read the lists that are given up now; it does not read older ones.
      await removeBefore(generation - 1)
      return generation
    },
    async finish(generation) {
      const done = await query(
        `UPDATE ${schema}.indexes SET state = 'ready' WHERE ${own} AND state = 'filling'
          AND generation = $2::text::integer RETURNING id::text AS id`,
        [namespace, String(generation)],
      )
      if (done.length === 0) throw overtaken()
      await removeBefore(generation)
      // What a filling leaves behind is room for later ones. PGlite has no process that sees to it.
      await query(`VACUUM (ANALYZE) ${TABLES.map((table) => `${schema}.${table}`).join(', ')}`, []).catch(() => [])
    },
    async mark(shardId) {
      const [row] = await query(
        `SELECT i.state, i.generation::text AS generation, m.sequence_number AS mark FROM ${schema}.indexes AS i
        LEFT JOIN ${schema}.marks AS m ON m.index_id = i.id AND m.shard = $2::text WHERE i.${own}`,
        [namespace, shardId],
      )
      const sequenceNumber = row?.mark ?? undefined
      const trees = { state: (row?.state ?? 'absent') as ListsState, generation: Number(row?.generation ?? 0) }
      return { ...trees, sequenceNumber, isStored: sequenceNumber !== undefined }
    },
    full: async () => undefined,
    isGivenUp: () => false,
    groupOf: () => undefined,
    async *groups(generation) {
      for (let after: string | null | undefined = ''; after !== undefined; ) {
        const rows = await query(
          `SELECT encode(t.name, 'hex') AS name FROM ${schema}.indexes AS i JOIN ${schema}.trees AS t ON t.index_id = i.id
          WHERE i.${own} AND t.generation = $2::text::integer AND t.name > decode($3::text, 'hex')
          ORDER BY t.name LIMIT ${GROUPS_AT_ONCE}`,
          [namespace, String(generation), after],
        )
        for (const { name } of rows) yield textOf(name)
        after = rows.length < GROUPS_AT_ONCE ? undefined : rows.at(-1)?.name
      }
    },
  }
}

function levelOf(row: Row): number {
  return row === TOP ? TOP_LEVEL : row
}

function nodeFrom({ fence, revision, data }: SqlRow): StoredNode {
  return { fence: textOf(fence), bytes: Buffer.from(data ?? '', 'base64'), revision: revision ?? undefined }
}

function listsText(edits: TreesCommit['edits']): string {
  const lists = edits.flatMap(({ tree, names }) =>
    (names?.cells ?? [])
      .map((cell, number) => [hexOf(tree.group), number, hexOf(cell)])
      .slice(names?.before.cells.length),
  )
  return JSON.stringify(lists)
}

function writesText(edits: TreesCommit['edits']): string {
  const writes = edits.flatMap(({ tree, writes: each }) =>
    each.map(({ row, fence, before, bytes }) => [
      ...[hexOf(tree.group), levelOf(row), hexOf(fence)],
      ...[before?.revision ?? null, bytes === undefined ? null : Buffer.from(bytes).toString('base64')],
    ]),
  )
  return JSON.stringify(writes)
}

function overtaken(): LapidaryError {
  return new LapidaryError('unavailable', 'another process began to fill the page index; this one stops')
}
