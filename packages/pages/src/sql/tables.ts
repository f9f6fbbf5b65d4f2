import { functionHead } from './function-head.ts'

/**
 * Each scope has a tree, whose nodes are rows. Names, fences and nodes are bytes: those sort as places do under any collation, and hold any
 * text. What is in a node is known to `pages/tree` alone.
 *
 * @param schema Quoted.
 */
export function tables(schema: string): string {
  return `
CREATE TABLE ${schema}.indexes (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace bytea NOT NULL UNIQUE,
  state text NOT NULL CHECK (state IN ('filling', 'ready')),
  generation integer NOT NULL
);
CREATE TABLE ${schema}.marks (
  index_id integer NOT NULL REFERENCES ${schema}.indexes,
  shard text NOT NULL,
  sequence_number text NOT NULL,
  as_of double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (index_id, shard)
);
CREATE TABLE ${schema}.trees (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  index_id integer NOT NULL REFERENCES ${schema}.indexes,
  generation integer NOT NULL,
  name bytea NOT NULL,
  UNIQUE (index_id, generation, name)
);
CREATE TABLE ${schema}.lists (
  tree_id bigint NOT NULL REFERENCES ${schema}.trees ON DELETE CASCADE,
  number integer NOT NULL,
  name bytea NOT NULL,
  PRIMARY KEY (tree_id, number)
);
CREATE SEQUENCE ${schema}.revisions;
CREATE TABLE ${schema}.nodes (
  tree_id bigint NOT NULL REFERENCES ${schema}.trees ON DELETE CASCADE,
  level smallint NOT NULL,
  fence bytea NOT NULL,
  revision bigint NOT NULL DEFAULT nextval('${schema.replaceAll("'", "''")}.revisions'),
  data bytea NOT NULL,
  PRIMARY KEY (tree_id, level, fence)
) WITH (fillfactor = 85);
`
}

/**
 * Writes nodes and names, and moves the mark of a shard, as a whole or not at all: false where another write came between. Commits of one
 * tree wait for each other at its row, and those of different trees do not.
 *
 * `p_lists` is `[[tree, number, name], ...]`, and `p_writes` is `[[tree, level, fence, revision, data], ...]`: names and fences are in
 * hexadecimal, data in base64. A node without a revision is new, and one without data is removed.
 *
 * @param schema Quoted.
 */
export function commitFunction(schema: string): string {
  return `
${functionHead(`${schema}.commit_nodes(
  p_namespace bytea, p_state text, p_generation integer,
  p_shard text, p_from text, p_to text, p_as_of double precision, p_lists json, p_writes json
) RETURNS boolean`)}
DECLARE
  v_index ${schema}.indexes;
  v_names bytea[];
  v_done bigint;
  v_made bigint := 0;
BEGIN
  -- A filling waits until changes that see the state of before are in.
  SELECT * INTO v_index FROM ${schema}.indexes
    WHERE namespace = p_namespace AND generation = p_generation AND state = p_state FOR SHARE;
  IF NOT FOUND THEN RETURN false; END IF;

  IF p_shard IS NOT NULL THEN
    IF p_from IS NULL THEN
      INSERT INTO ${schema}.marks (index_id, shard, sequence_number, as_of)
        VALUES (v_index.id, p_shard, p_to, p_as_of) ON CONFLICT DO NOTHING;
    ELSE
      UPDATE ${schema}.marks SET sequence_number = p_to, as_of = greatest(as_of, p_as_of)
        WHERE index_id = v_index.id AND shard = p_shard AND sequence_number = p_from;
    END IF;
    IF NOT FOUND THEN RETURN false; END IF;
  END IF;

  SELECT array_agg(DISTINCT decode(value ->> 0, 'hex')) INTO v_names FROM (
    SELECT value FROM json_array_elements(p_lists) UNION ALL SELECT value FROM json_array_elements(p_writes)
  ) AS given;
  INSERT INTO ${schema}.trees (index_id, generation, name)
    SELECT v_index.id, p_generation, g.name FROM unnest(v_names) AS g(name)
    WHERE NOT EXISTS (
      SELECT FROM ${schema}.trees AS t WHERE t.index_id = v_index.id AND t.generation = p_generation AND t.name = g.name
    )
    ORDER BY g.name ON CONFLICT DO NOTHING;
  PERFORM id FROM ${schema}.trees
    WHERE index_id = v_index.id AND generation = p_generation AND name = ANY (v_names) ORDER BY name FOR NO KEY UPDATE;

  INSERT INTO ${schema}.lists (tree_id, number, name)
    SELECT t.id, (value ->> 1)::integer, decode(value ->> 2, 'hex') FROM json_array_elements(p_lists)
      JOIN ${schema}.trees AS t
        ON t.index_id = v_index.id AND t.generation = p_generation AND t.name = decode(value ->> 0, 'hex')
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS v_done = ROW_COUNT;
  v_made := v_made + v_done;

  WITH given AS (
    SELECT t.id AS tree_id, (value ->> 1)::smallint AS level, decode(value ->> 2, 'hex') AS fence,
      (value ->> 3)::bigint AS revision, decode(value ->> 4, 'base64') AS data
    FROM json_array_elements(p_writes) JOIN ${schema}.trees AS t
      ON t.index_id = v_index.id AND t.generation = p_generation AND t.name = decode(value ->> 0, 'hex')
  ), removed AS (
    DELETE FROM ${schema}.nodes AS n USING given AS g WHERE g.data IS NULL
      AND n.tree_id = g.tree_id AND n.level = g.level AND n.fence = g.fence AND n.revision = g.revision
    RETURNING 1
  ), changed AS (
    UPDATE ${schema}.nodes AS n SET data = g.data, revision = DEFAULT FROM given AS g WHERE g.data IS NOT NULL
      AND n.tree_id = g.tree_id AND n.level = g.level AND n.fence = g.fence AND n.revision = g.revision
    RETURNING 1
  ), added AS (
    INSERT INTO ${schema}.nodes (tree_id, level, fence, data)
      SELECT tree_id, level, fence, data FROM given WHERE revision IS NULL ORDER BY tree_id, level, fence
      ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM removed) + (SELECT count(*) FROM changed) + (SELECT count(*) FROM added) INTO v_done;
  v_made := v_made + v_done;
  IF v_made < json_array_length(p_lists) + json_array_length(p_writes) THEN
    RAISE EXCEPTION USING ERRCODE = 'LP001';
  END IF;
  RETURN true;
EXCEPTION WHEN SQLSTATE 'LP001' THEN RETURN false;
END $function$;
`
}
