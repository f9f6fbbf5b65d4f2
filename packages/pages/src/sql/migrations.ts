import { LapidaryError } from 'lapidary'
import { markExpiry } from './mark-expiry.ts'
import type { QuerySql } from './sql-client.ts'
import { commitFunction, tables } from './tables.ts'

/**
 * What each version adds, in their order. One that was released stays as it is; what changes is a version of its own. Those before the
 * first one kept entries as rows: nothing reads them any more, and the lists are made anew under other names.
 */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => [removal(schema), tables(schema), commitFunction(schema), markExpiry(schema)].join('\n'),
]
const FIRST_VERSION = 6
const LAST_VERSION = FIRST_VERSION + MIGRATIONS.length - 1

/**
 * Brings a schema to the version that this code needs. Each version is one statement, under a lock that processes which start at the
 * same time wait for. Versions only go up.
 *
 * @throws {LapidaryError} `table_mismatch` for a schema that a newer Lapidary has made.
 */
export async function migrate(query: QuerySql, name: string): Promise<void> {
  const schema = quoted(name)
  const version = await versionOf(query, schema)
  if (version > LAST_VERSION) {
    throw new LapidaryError(
      'table_mismatch',
      `the page index in the schema ${name} has version ${version}, and this Lapidary knows ${LAST_VERSION}; use a newer one`,
    )
  }
  for (let next = Math.max(FIRST_VERSION, version + 1); next <= LAST_VERSION; next++) {
    await query(statement(schema, next), [])
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

/** Removes all that versions before the first one made, but for the table of versions. */
function removal(schema: string): string {
  const own = `'${schema.replaceAll("'", "''")}'::regnamespace`
  return `
  FOR v_found IN SELECT oid::regprocedure::text AS name FROM pg_proc WHERE pronamespace = ${own} LOOP
    EXECUTE 'DROP FUNCTION ' || v_found.name || ' CASCADE';
  END LOOP;
  FOR v_found IN SELECT oid::regclass::text AS name FROM pg_class
    WHERE relnamespace = ${own} AND relkind = 'r' AND relname <> 'migrations' LOOP
    EXECUTE 'DROP TABLE ' || v_found.name || ' CASCADE';
  END LOOP;
  DROP TYPE IF EXISTS ${schema}.step, ${schema}.change;`
}

/** Looks again under the lock: another process may have been faster. */
function statement(schema: string, version: number): string {
  return `DO $migration$
DECLARE
  v_found record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('lapidary page index'), hashtext('${schema.replaceAll("'", "''")}'));
  CREATE SCHEMA IF NOT EXISTS ${schema};
  CREATE TABLE IF NOT EXISTS ${schema}.migrations (
    version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now()
  );
  IF EXISTS (SELECT FROM ${schema}.migrations WHERE version >= ${version}) THEN RETURN; END IF;
${MIGRATIONS[version - FIRST_VERSION]?.(schema)}
  INSERT INTO ${schema}.migrations (version) VALUES (${version});
END $migration$`
}
