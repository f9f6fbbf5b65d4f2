/**
 * Each scope is a group of its own. Nodes of level 1 are segments of its entries, in the order of places; those of level 2 are
 * branches of segments. A node reaches from its own place to that of the next node of its level. `counts` says how many entries
 * of each list are in it, so that an insert or a removal anywhere changes one segment and one branch, and no row holds a rank.
 *
 * Names and members are bytes: those sort as places do under any collation, and hold any text.
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
CREATE TABLE ${schema}.groups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  index_id integer NOT NULL REFERENCES ${schema}.indexes,
  generation integer NOT NULL,
  name bytea NOT NULL,
  UNIQUE (index_id, generation, name)
);
CREATE TABLE ${schema}.cells (
  group_id bigint NOT NULL,
  cell integer NOT NULL,
  name bytea NOT NULL,
  PRIMARY KEY (group_id, cell),
  UNIQUE (group_id, name)
);
CREATE TABLE ${schema}.entries (
  group_id bigint NOT NULL,
  score double precision NOT NULL,
  member bytea NOT NULL,
  cell integer NOT NULL,
  PRIMARY KEY (group_id, score, member) INCLUDE (cell)
);
CREATE INDEX tombstones ON ${schema}.entries (group_id) WHERE cell = 0;
CREATE TABLE ${schema}.nodes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  group_id bigint NOT NULL,
  level smallint NOT NULL,
  score double precision NOT NULL,
  member bytea NOT NULL,
  UNIQUE (group_id, level, score, member)
);
CREATE TABLE ${schema}.counts (
  node_id bigint NOT NULL,
  cell integer NOT NULL,
  entries integer NOT NULL,
  PRIMARY KEY (node_id, cell)
) WITH (fillfactor = 80);
CREATE TYPE ${schema}.step AS (
  number bigint, op text, group_name bytea, cell_name bytea, score double precision, member bytea
);
CREATE TYPE ${schema}.change AS (
  group_id bigint, score double precision, member bytea, before integer, after integer
);
`
}
