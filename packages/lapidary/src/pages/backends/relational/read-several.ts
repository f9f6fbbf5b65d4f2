import { functionHead } from './function-head.ts'

/** The lists that are asked for by their groups, of which `p_groups` names one for each of `p_cells`. */
const LISTS = `
  (SELECT l.id, array_agg(l.cell) AS cells FROM unnest(p_groups, p_cells) AS l(id, cell) GROUP BY l.id) AS g`

/**
 * The functions that read lists of several groups, beside those of one.
 *
 * @param schema Quoted.
 */
export function readSeveral(schema: string): string {
  return [rankOf(schema), select(schema)].join('\n')
}

function rankOf(schema: string): string {
  return `
${functionHead(
  `${schema}.rank_of(p_groups bigint[], p_cells integer[], p_score double precision, p_member bytea) RETURNS bigint`,
  'STABLE',
)}
BEGIN
  RETURN (SELECT coalesce(sum(${schema}.rank_of(g.id, g.cells, p_score, p_member)), 0) FROM ${LISTS});
END $function$;`
}

/** Halves the branches of all groups, then the segments between two of them: at each of these places the rank is known. */
function select(schema: string): string {
  return `
${functionHead(
  `${schema}.select_place(
  p_groups bigint[], p_cells integer[],
  p_lower_score double precision, p_lower_member bytea, p_upper_score double precision, p_upper_member bytea,
  p_ascending boolean, p_offset bigint
) RETURNS TABLE (total bigint, score double precision, member bytea)`,
  'STABLE',
)}
DECLARE
  v_low bigint := ${schema}.rank_of(p_groups, p_cells, p_lower_score, p_lower_member);
  v_high bigint := ${schema}.rank_of(p_groups, p_cells, p_upper_score, p_upper_member);
  v_total bigint := greatest(0, v_high - v_low);
  v_rank bigint := CASE WHEN p_ascending THEN v_low + p_offset ELSE v_high - 1 - p_offset END;
  v_before bigint := 0;
  v_from_score double precision := '-Infinity';
  v_from_member bytea := '';
  v_to_score double precision := 'NaN';
  v_to_member bytea := '';
  v_level integer;
  v_scores double precision[];
  v_members bytea[];
  v_first integer;
  v_last integer;
  v_middle integer;
  v_count bigint;
BEGIN
  IF p_offset >= v_total THEN
    RETURN QUERY SELECT v_total, NULL::double precision, NULL::bytea;
    RETURN;
  END IF;
  FOREACH v_level IN ARRAY ARRAY[2, 1] LOOP
    SELECT array_agg(n.score ORDER BY n.score, n.member), array_agg(n.member ORDER BY n.score, n.member)
      INTO v_scores, v_members
      FROM ${LISTS}, LATERAL (
        SELECT score, member FROM ${schema}.nodes WHERE group_id = g.id AND level = v_level
          AND (score, member) > (v_from_score, v_from_member) AND (score, member) < (v_to_score, v_to_member)
      ) AS n;
    v_first := 0;
    v_last := coalesce(cardinality(v_scores), 0) + 1;
    WHILE v_last - v_first > 1 LOOP
      v_middle := (v_first + v_last) / 2;
      v_count := ${schema}.rank_of(p_groups, p_cells, v_scores[v_middle], v_members[v_middle]);
      IF v_count <= v_rank THEN
        v_first := v_middle;
        v_before := v_count;
      ELSE
        v_last := v_middle;
      END IF;
    END LOOP;
    IF v_first > 0 THEN
      v_from_score := v_scores[v_first];
      v_from_member := v_members[v_first];
    END IF;
    IF v_last <= cardinality(v_scores) THEN
      v_to_score := v_scores[v_last];
      v_to_member := v_members[v_last];
    END IF;
  END LOOP;
  RETURN QUERY SELECT v_total, e.score, e.member FROM ${LISTS}, LATERAL (
      SELECT score, member FROM ${schema}.entries WHERE group_id = g.id AND (cell = ANY (g.cells)) IS TRUE
        AND (score, member) >= (v_from_score, v_from_member) AND (score, member) < (v_to_score, v_to_member)
    ) AS e
    ORDER BY e.score, e.member OFFSET v_rank - v_before LIMIT 1;
END $function$;`
}
