import { functionHead } from './function-head.ts'

/** For how long a process that stands still may come back with changes that are in already: longer than a stream keeps them. */
const KEPT_MS = 7 * 86_400_000

/**
 * Removes, with the first mark of a shard, marks whose change is a week older than the newest that is in, so there are no more than a week
 * has shards. One that moves meanwhile stays.
 *
 * @param schema Quoted.
 */
export function markExpiry(schema: string): string {
  return `
${functionHead(`${schema}.expire_marks() RETURNS trigger`)}
BEGIN
  DELETE FROM ${schema}.marks WHERE index_id = NEW.index_id AND shard <> NEW.shard
    AND as_of < (SELECT max(as_of) FROM ${schema}.marks WHERE index_id = NEW.index_id) - ${KEPT_MS};
  RETURN NULL;
END $function$;
CREATE TRIGGER expire_marks AFTER INSERT ON ${schema}.marks FOR EACH ROW EXECUTE FUNCTION ${schema}.expire_marks();
`
}
