import { functionHead } from './function-head.ts'

/**
 * The functions that read. They are `STABLE`, so each question is answered from one state of the database, whatever is written
 * meanwhile.
 *
 * @param schema Quoted.
 */
export function readFunctions(schema: string): string {
  return [rankOf(schema), select(schema)].join('\n')
}

/** How many entries of some lists are before a place; `NaN` is behind all. */
function rankOf(schema: string): string {
  return `
${functionHead(
  `${schema}.rank_of(p_group bigint, p_cells integer[], p_score double precision, p_member bytea) RETURNS bigint`,
  'STABLE',
)}
DECLARE
  v_branch record;
  v_segment record;
BEGIN
  IF p_score = '-Infinity' THEN RETURN 0; END IF;
  IF p_score = 'NaN' THEN
    RETURN (
      SELECT coalesce(sum(k.entries), 0) FROM ${schema}.nodes AS n JOIN ${schema}.counts AS k ON k.node_id = n.id
      WHERE n.group_id = p_group AND n.level = 2 AND (k.cell = ANY (p_cells)) IS TRUE
    );
  END IF;
  SELECT score, member INTO v_branch FROM ${schema}.nodes
    WHERE group_id = p_group AND level = 2 AND (score, member) <= (p_score, p_member)
    ORDER BY score DESC, member DESC LIMIT 1;
  SELECT score, member INTO v_segment FROM ${schema}.nodes
    WHERE group_id = p_group AND level = 1 AND (score, member) <= (p_score, p_member)
    ORDER BY score DESC, member DESC LIMIT 1;
  RETURN (
    SELECT coalesce(sum(k.entries), 0) FROM ${schema}.nodes AS n JOIN ${schema}.counts AS k ON k.node_id = n.id
    WHERE n.group_id = p_group AND n.level = 2 AND (n.score, n.member) < (v_branch.score, v_branch.member)
      AND (k.cell = ANY (p_cells)) IS TRUE
  ) + (
    SELECT coalesce(sum(k.entries), 0) FROM ${schema}.nodes AS n JOIN ${schema}.counts AS k ON k.node_id = n.id
    WHERE n.group_id = p_group AND n.level = 1 AND (n.score, n.member) >= (v_branch.score, v_branch.member)
      AND (n.score, n.member) < (v_segment.score, v_segment.member)
      AND (k.cell = ANY (p_cells)) IS TRUE
  ) + (
    SELECT count(*) FROM ${schema}.entries
    WHERE group_id = p_group AND (score, member) >= (v_segment.score, v_segment.member)
      AND (score, member) < (p_score, p_member) AND (cell = ANY (p_cells)) IS TRUE
  );
END $function$;`
}

/** The total of some lists between two places, and the entry of a rank: its branch, its segment in it, its place in that. */
function select(schema: string): string {
  const nodeAt = (level: number): string => `
  SELECT score, member, before INTO v_node FROM (
    SELECT n.score, n.member, k.own, sum(k.own) OVER (ORDER BY n.score, n.member) - k.own AS before
    FROM ${schema}.nodes AS n
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(entries), 0) AS own FROM ${schema}.counts
      WHERE node_id = n.id AND (cell = ANY (p_cells)) IS TRUE
    ) AS k
    WHERE n.group_id = p_group AND n.level = ${level}
      AND (n.score, n.member) >= (v_from_score, v_from_member) AND (n.score, n.member) < (v_to_score, v_to_member)
  ) AS summed
  WHERE before <= v_rank AND before + own > v_rank;
  v_rank := v_rank - v_node.before;
  v_from_score := v_node.score;
  v_from_member := v_node.member;`
  return `
${functionHead(
  `${schema}.select_place(
  p_group bigint, p_cells integer[],
  p_lower_score double precision, p_lower_member bytea, p_upper_score double precision, p_upper_member bytea,
  p_ascending boolean, p_offset bigint
) RETURNS TABLE (total bigint, score double precision, member bytea)`,
  'STABLE',
)}
DECLARE
  v_low bigint := ${schema}.rank_of(p_group, p_cells, p_lower_score, p_lower_member);
  v_high bigint := ${schema}.rank_of(p_group, p_cells, p_upper_score, p_upper_member);
  v_total bigint := greatest(0, v_high - v_low);
  v_rank bigint := CASE WHEN p_ascending THEN v_low + p_offset ELSE v_high - 1 - p_offset END;
  v_from_score double precision := '-Infinity';
  v_from_member bytea := '';
  v_to_score double precision := 'NaN';
  v_to_member bytea := '';
  v_node record;
BEGIN
  IF p_offset >= v_total THEN
    RETURN QUERY SELECT v_total, NULL::double precision, NULL::bytea;
    RETURN;
  END IF;
${nodeAt(2)}
  SELECT n.score, n.member INTO v_node FROM ${schema}.nodes AS n
    WHERE n.group_id = p_group AND n.level = 2 AND (n.score, n.member) > (v_from_score, v_from_member)
    ORDER BY n.score, n.member LIMIT 1;
  IF FOUND THEN
    v_to_score := v_node.score;
    v_to_member := v_node.member;
  END IF;
${nodeAt(1)}
  RETURN QUERY SELECT v_total, e.score, e.member FROM ${schema}.entries AS e
    WHERE e.group_id = p_group AND (e.score, e.member) >= (v_from_score, v_from_member)
      AND (e.cell = ANY (p_cells)) IS TRUE
    ORDER BY e.group_id, e.score, e.member OFFSET v_rank LIMIT 1;
END $function$;`
}
