import { functionHead } from './function-head.ts'

/** How large nodes grow before they are cut. */
export interface NodeLimits {
  /** Entries of a segment: those of one are read to find an entry. */
  readonly entries: number
  readonly segments: number
}

export const NODE_LIMITS: NodeLimits = { entries: 512, segments: 128 }

/** How full the parts are into which the newest node is cut: little comes into the older ones any more. */
const NEWEST_PART = 0.9
/** How full the parts of any other node are. */
const MIDDLE_PART = 0.6

/**
 * The functions that write. Each runs as one statement, so it happens as a whole or not at all. All changes of a group wait for
 * each other at the row of the group; those of different groups do not.
 *
 * @param schema Quoted.
 */
export function editFunctions(schema: string, limits: NodeLimits): string {
  return [apply(schema), fill(schema), edit(schema), balance(schema, limits), cut(schema), tidy(schema)].join('\n')
}

/** Steps: `[[sequence number, op, group, cell, score, member], ...]`, of which all but the op are texts, names in hexadecimal. */
function apply(schema: string): string {
  return `
${functionHead(`${schema}.apply_steps(p_namespace bytea, p_shard text, p_as_of double precision, p_steps json) RETURNS void`)}
DECLARE
  v_index ${schema}.indexes;
  v_done text;
  v_last text;
BEGIN
  -- A filling waits until changes that see the state of before are in.
  SELECT * INTO v_index FROM ${schema}.indexes WHERE namespace = p_namespace FOR SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO ${schema}.marks (index_id, shard, sequence_number) VALUES (v_index.id, p_shard, '') ON CONFLICT DO NOTHING;
  SELECT sequence_number INTO v_done FROM ${schema}.marks WHERE index_id = v_index.id AND shard = p_shard FOR UPDATE;
  SELECT value ->> 0 INTO v_last FROM json_array_elements(p_steps)
    WHERE (length(value ->> 0), (value ->> 0) COLLATE "C") > (length(v_done), v_done COLLATE "C")
    ORDER BY length(value ->> 0) DESC, (value ->> 0) COLLATE "C" DESC LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM ${schema}.edit_group_entries(v_index.id, v_index.generation, v_index.state, v_done, p_steps);
  UPDATE ${schema}.marks SET sequence_number = v_last, as_of = greatest(as_of, p_as_of)
    WHERE index_id = v_index.id AND shard = p_shard;
END $function$;`
}

function fill(schema: string): string {
  return `
${functionHead(`${schema}.fill_entries(p_namespace bytea, p_generation integer, p_steps json) RETURNS boolean`)}
DECLARE
  v_index ${schema}.indexes;
BEGIN
  SELECT * INTO v_index FROM ${schema}.indexes
    WHERE namespace = p_namespace AND generation = p_generation AND state = 'filling' FOR SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ${schema}.edit_group_entries(v_index.id, p_generation, 'scan', '', p_steps);
  RETURN true;
END $function$;`
}

/**
 * What the steps make of each entry follows from the last one that adds it, and those that remove it afterwards. While lists are
 * filled, what was removed stays as a tombstone, cell 0; what a scan saw is added only where there is neither.
 */
function edit(schema: string): string {
  return `
${functionHead(
  `${schema}.edit_group_entries(p_index integer, p_generation integer, p_mode text, p_done text, p_steps json) RETURNS void`,
)}
DECLARE
  v_steps ${schema}.step[];
  v_changes ${schema}.change[];
  v_touched bigint[];
BEGIN
  SELECT array_agg(ROW(number, value ->> 1, decode(value ->> 2, 'hex'), decode(value ->> 3, 'hex'),
      (value ->> 4)::double precision, decode(value ->> 5, 'hex'))::${schema}.step)
    INTO v_steps
    FROM json_array_elements(p_steps) WITH ORDINALITY AS given(value, number)
    WHERE (length(value ->> 0), (value ->> 0) COLLATE "C") > (length(p_done), p_done COLLATE "C");

  INSERT INTO ${schema}.groups (index_id, generation, name)
    SELECT DISTINCT p_index, p_generation, group_name FROM unnest(v_steps) AS s
    WHERE NOT EXISTS (
      SELECT FROM ${schema}.groups AS g WHERE g.index_id = p_index AND g.generation = p_generation AND g.name = s.group_name
    )
    ORDER BY group_name
    ON CONFLICT DO NOTHING;
  PERFORM id FROM ${schema}.groups
    WHERE index_id = p_index AND generation = p_generation AND name IN (SELECT group_name FROM unnest(v_steps))
    ORDER BY name FOR NO KEY UPDATE;

  INSERT INTO ${schema}.nodes (group_id, level, score, member)
    SELECT g.id, l.level, '-Infinity', ''
    FROM ${schema}.groups AS g CROSS JOIN (VALUES (1), (2)) AS l(level)
    WHERE g.index_id = p_index AND g.generation = p_generation AND g.name IN (SELECT group_name FROM unnest(v_steps))
      AND NOT EXISTS (SELECT FROM ${schema}.nodes AS n WHERE n.group_id = g.id);
  INSERT INTO ${schema}.cells (group_id, cell, name)
    SELECT id, (SELECT coalesce(max(c.cell), 0) FROM ${schema}.cells AS c WHERE c.group_id = id)
        + row_number() OVER (PARTITION BY id ORDER BY name), name
    FROM (
      SELECT DISTINCT g.id, s.cell_name AS name
      FROM unnest(v_steps) AS s
      JOIN ${schema}.groups AS g ON g.index_id = p_index AND g.generation = p_generation AND g.name = s.group_name
      WHERE s.op = 'add'
        AND NOT EXISTS (SELECT FROM ${schema}.cells AS c WHERE c.group_id = g.id AND c.name = s.cell_name)
    ) AS missing;

  WITH located AS (
    SELECT s.number, s.op, g.id AS group_id, s.score, s.member, c.cell,
      max(s.number) FILTER (WHERE s.op = 'add') OVER (PARTITION BY g.id, s.score, s.member) AS added_at
    FROM unnest(v_steps) AS s
    JOIN ${schema}.groups AS g ON g.index_id = p_index AND g.generation = p_generation AND g.name = s.group_name
    LEFT JOIN ${schema}.cells AS c ON c.group_id = g.id AND c.name = s.cell_name
  ), netted AS (
    SELECT group_id, score, member,
      max(cell) FILTER (WHERE number = added_at) AS added,
      array_agg(cell) FILTER (WHERE op = 'remove' AND (added_at IS NULL OR number > added_at)) AS removed
    FROM located GROUP BY group_id, score, member
  ), compared AS (
    SELECT n.group_id, n.score, n.member, e.cell AS before,
      CASE
        WHEN p_mode = 'scan' THEN coalesce(e.cell, n.added)
        WHEN p_mode = 'filling' AND n.removed IS NOT NULL THEN 0
        WHEN coalesce(n.added, e.cell) = ANY (n.removed) THEN NULL
        ELSE coalesce(n.added, e.cell)
      END AS after
    FROM netted AS n
    LEFT JOIN LATERAL (
      SELECT cell FROM ${schema}.entries AS e
      WHERE e.group_id = n.group_id AND e.score = n.score AND e.member = n.member
    ) AS e ON true
  )
  SELECT array_agg(ROW(group_id, score, member, before, after)::${schema}.change) INTO v_changes
    FROM compared WHERE before IS DISTINCT FROM after;
  IF v_changes IS NULL THEN RETURN; END IF;

  DELETE FROM ${schema}.entries AS e USING unnest(v_changes) AS c
    WHERE c.after IS NULL AND e.group_id = c.group_id AND e.score = c.score AND e.member = c.member;
  INSERT INTO ${schema}.entries (group_id, score, member, cell)
    SELECT group_id, score, member, after FROM unnest(v_changes) WHERE after IS NOT NULL
    ORDER BY group_id, score, member
    ON CONFLICT (group_id, score, member) DO UPDATE SET cell = excluded.cell;

  WITH written AS (
    INSERT INTO ${schema}.counts AS k (node_id, cell, entries)
      SELECT n.id, d.cell, sum(d.amount)
      FROM unnest(v_changes) AS c
      CROSS JOIN (VALUES (1), (2)) AS l(level)
      CROSS JOIN LATERAL (
        SELECT id FROM ${schema}.nodes AS n
        WHERE n.group_id = c.group_id AND n.level = l.level AND (n.score, n.member) <= (c.score, c.member)
        ORDER BY n.score DESC, n.member DESC LIMIT 1
      ) AS n
      CROSS JOIN LATERAL (VALUES (c.before, -1), (c.after, 1)) AS d(cell, amount)
      WHERE d.cell > 0
      GROUP BY n.id, d.cell HAVING sum(d.amount) <> 0
      ON CONFLICT (node_id, cell) DO UPDATE SET entries = k.entries + excluded.entries
      RETURNING node_id
  )
  SELECT array_agg(DISTINCT node_id) INTO v_touched FROM written;
  DELETE FROM ${schema}.counts WHERE node_id = ANY (v_touched) AND entries = 0;
  PERFORM ${schema}.balance_nodes(v_touched);
END $function$;`
}

/** Cuts nodes that are too large, and removes those without entries. A branch keeps its first segment, where it begins itself. */
function balance(schema: string, { entries, segments }: NodeLimits): string {
  return `
${functionHead(`${schema}.balance_nodes(p_nodes bigint[]) RETURNS void`)}
DECLARE
  v_node record;
  v_next record;
  v_size bigint;
BEGIN
  FOR v_node IN SELECT * FROM ${schema}.nodes WHERE id = ANY (p_nodes) ORDER BY level, group_id, score, member LOOP
    SELECT sum(entries) INTO v_size FROM ${schema}.counts WHERE node_id = v_node.id;
    SELECT score, member INTO v_next FROM ${schema}.nodes
      WHERE group_id = v_node.group_id AND level = v_node.level AND (score, member) > (v_node.score, v_node.member)
      ORDER BY score, member LIMIT 1;
    IF NOT FOUND THEN SELECT 'NaN'::double precision AS score, ''::bytea AS member INTO v_next; END IF;
    IF v_size IS NULL THEN
      DELETE FROM ${schema}.nodes
        WHERE group_id = v_node.group_id AND level <= v_node.level AND v_node.score > '-Infinity'
          AND (score, member) >= (v_node.score, v_node.member) AND (score, member) < (v_next.score, v_next.member)
          AND (v_node.level = 2 OR NOT EXISTS (
            SELECT FROM ${schema}.nodes AS b WHERE b.group_id = v_node.group_id AND b.level = 2
              AND b.score = v_node.score AND b.member = v_node.member
          ));
    ELSIF v_node.level = 1 AND v_size > ${entries} THEN
      PERFORM ${schema}.cut_node(v_node.id, v_size, ${entries}, v_next.score, v_next.member);
    ELSIF v_node.level = 2 THEN
      SELECT count(*) INTO v_size FROM ${schema}.nodes
        WHERE group_id = v_node.group_id AND level = 1
          AND (score, member) >= (v_node.score, v_node.member) AND (score, member) < (v_next.score, v_next.member);
      IF v_size > ${segments} THEN
        PERFORM ${schema}.cut_node(v_node.id, v_size, ${segments}, v_next.score, v_next.member);
      END IF;
    END IF;
  END LOOP;
END $function$;`
}

/** Cuts a node into as many as it takes, and counts what is in each. */
function cut(schema: string): string {
  return `
${functionHead(
  `${schema}.cut_node(p_id bigint, p_size bigint, p_most integer, p_next_score double precision, p_next_member bytea) RETURNS void`,
)}
DECLARE
  v_node ${schema}.nodes;
  v_piece integer;
BEGIN
  SELECT * INTO v_node FROM ${schema}.nodes WHERE id = p_id;
  v_piece := CASE WHEN p_next_score = 'NaN' THEN floor(p_most * ${NEWEST_PART})
    ELSE ceil(p_size / ceil(p_size / (p_most * ${MIDDLE_PART}))) END;
  DELETE FROM ${schema}.counts WHERE node_id = p_id;
  IF v_node.level = 1 THEN
    INSERT INTO ${schema}.nodes (group_id, level, score, member)
      SELECT v_node.group_id, 1, score, member
      FROM (
        SELECT score, member, row_number() OVER (ORDER BY score, member) - 1 AS rank FROM ${schema}.entries
        WHERE group_id = v_node.group_id AND cell > 0
          AND (score, member) >= (v_node.score, v_node.member) AND (score, member) < (p_next_score, p_next_member)
      ) AS ranked
      WHERE rank > 0 AND rank % v_piece = 0;
    INSERT INTO ${schema}.counts (node_id, cell, entries)
      SELECT n.id, e.cell, count(*)
      FROM ${schema}.entries AS e
      CROSS JOIN LATERAL (
        SELECT id FROM ${schema}.nodes AS n
        WHERE n.group_id = e.group_id AND n.level = 1 AND (n.score, n.member) <= (e.score, e.member)
        ORDER BY n.score DESC, n.member DESC LIMIT 1
      ) AS n
      WHERE e.group_id = v_node.group_id AND e.cell > 0
        AND (e.score, e.member) >= (v_node.score, v_node.member) AND (e.score, e.member) < (p_next_score, p_next_member)
      GROUP BY n.id, e.cell;
  ELSE
    INSERT INTO ${schema}.nodes (group_id, level, score, member)
      SELECT v_node.group_id, 2, score, member
      FROM (
        SELECT score, member, row_number() OVER (ORDER BY score, member) - 1 AS rank FROM ${schema}.nodes
        WHERE group_id = v_node.group_id AND level = 1
          AND (score, member) >= (v_node.score, v_node.member) AND (score, member) < (p_next_score, p_next_member)
      ) AS ranked
      WHERE rank > 0 AND rank % v_piece = 0;
    INSERT INTO ${schema}.counts (node_id, cell, entries)
      SELECT b.id, k.cell, sum(k.entries)
      FROM ${schema}.nodes AS s
      JOIN ${schema}.counts AS k ON k.node_id = s.id
      CROSS JOIN LATERAL (
        SELECT id FROM ${schema}.nodes AS b
        WHERE b.group_id = s.group_id AND b.level = 2 AND (b.score, b.member) <= (s.score, s.member)
        ORDER BY b.score DESC, b.member DESC LIMIT 1
      ) AS b
      WHERE s.group_id = v_node.group_id AND s.level = 1
        AND (s.score, s.member) >= (v_node.score, v_node.member) AND (s.score, s.member) < (p_next_score, p_next_member)
      GROUP BY b.id, k.cell;
  END IF;
END $function$;`
}

/** Removes some of what generations below one hold; false once nothing is left of them. */
function tidy(schema: string): string {
  return `
${functionHead(`${schema}.tidy_generations(p_namespace bytea, p_below integer, p_most integer) RETURNS boolean`)}
DECLARE
  v_groups bigint[];
  v_removed bigint;
BEGIN
  SELECT array_agg(id) INTO v_groups FROM (
    SELECT g.id FROM ${schema}.groups AS g JOIN ${schema}.indexes AS i ON i.id = g.index_id
    WHERE i.namespace = p_namespace AND g.generation < p_below ORDER BY g.id LIMIT 100 FOR UPDATE OF g
  ) AS older;
  IF v_groups IS NULL THEN RETURN false; END IF;
  DELETE FROM ${schema}.entries WHERE (group_id, score, member) IN (
    SELECT group_id, score, member FROM ${schema}.entries WHERE group_id = ANY (v_groups) LIMIT p_most
  );
  GET DIAGNOSTICS v_removed = ROW_COUNT;
  IF v_removed < p_most THEN
    DELETE FROM ${schema}.counts WHERE node_id IN (SELECT id FROM ${schema}.nodes WHERE group_id = ANY (v_groups));
    DELETE FROM ${schema}.nodes WHERE group_id = ANY (v_groups);
    DELETE FROM ${schema}.cells WHERE group_id = ANY (v_groups);
    DELETE FROM ${schema}.groups WHERE id = ANY (v_groups);
  END IF;
  RETURN true;
END $function$;`
}
