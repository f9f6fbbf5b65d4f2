import { LapidaryError } from '../../../model/errors.ts'
import { editFunctions, NODE_LIMITS, type NodeLimits } from './edit-functions.ts'
import { markExpiry } from './mark-expiry.ts'
import { readFunctions } from './read-functions.ts'
import { readSeveral } from './read-several.ts'
import type { QuerySql } from './sql-client.ts'
import { tables } from './tables.ts'

/** What each version adds, in their order. One that was released stays as it is; what changes is a version of its own. */
const MIGRATIONS: readonly ((schema: string, limits: NodeLimits) => string)[] = [
  tables,
  editFunctions,
  readFunctions,
  markExpiry,
  readSeveral,
]

/** What tests do otherwise. */
export interface MigrateOptions {
  readonly limits?: NodeLimits
  /** The last version. */
  readonly to?: number
}

/**
 * Brings a schema to the version that this code needs. Each version is one statement, under a lock that processes which start at the
 * same time wait for. Versions only go up.
 *
 * @throws {LapidaryError} `table_mismatch` for a schema that a newer Lapidary has made.
 */
export async function migrate(
  query: QuerySql,
  name: string,
  { limits = NODE_LIMITS, to = MIGRATIONS.length }: MigrateOptions = {},
): Promise<void> {
  const schema = quoted(name)
  const version = await versionOf(query, schema)
  if (version > MIGRATIONS.length) {
    throw new LapidaryError(
      'table_mismatch',
      `the page index in the schema ${name} has version ${version}, and this Lapidary knows ${MIGRATIONS.length}; use a newer one`,
    )
  }
  for (let next = version + 1; next <= to; next++) {
    await query(statement(schema, next, limits), [])
  }
}

/** A name as SQL takes it, whatever is in it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

async function versionOf(query: QuerySql, schema: string): Promise<number> {
  const [found] = await query('SELECT to_regclass($1::text)::text AS name', [`${schema}.migrations`])
  if (found?.name === null) return 0
  const [row] = await query(`SELECT coalesce(max(version), 0)::text AS version FROM ${schema}.migrations`, [])
  return Number(row?.version)
}

/** It looks again under the lock: another process may have been faster. */
function statement(schema: string, version: number, limits: NodeLimits): string {
  return `DO $migration$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('lapidary page index'), hashtext('${schema.replaceAll("'", "''")}'));
  CREATE SCHEMA IF NOT EXISTS ${schema};
  CREATE TABLE IF NOT EXISTS ${schema}.migrations (
    version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now()
  );
  IF EXISTS (SELECT FROM ${schema}.migrations WHERE version >= ${version}) THEN RETURN; END IF;
${MIGRATIONS[version - 1]?.(schema, limits)}
  INSERT INTO ${schema}.migrations (version) VALUES (${version});
END $migration$`
}
