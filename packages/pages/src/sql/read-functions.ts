import { functionHead } from './function-head.ts'

/** The level that the top row has. */
export const TOP_LEVEL = -1

/**
 * The functions that read nodes, whose plans a connection keeps. Names and fences are in hexadecimal, data in base64.
 *
 * @param schema Quoted.
 */
export function readFunctions(schema: string): string {
  return [treeOf(schema), top(schema), nearest(schema), range(schema)].join('\n')
}

const NODE = 'TABLE (fence text, revision text, data text)'
const COLUMNS = "encode(n.fence, 'hex'), n.revision::text, encode(n.data, 'base64')"

function treeOf(schema: string): string {
  return `
${functionHead(`${schema}.tree_of(p_namespace text, p_generation integer, p_name text) RETURNS bigint`, 'STABLE')}
BEGIN
  RETURN (SELECT t.id FROM ${schema}.indexes AS i JOIN ${schema}.trees AS t ON t.index_id = i.id
    WHERE i.namespace = decode(p_namespace, 'hex') AND t.generation = p_generation AND t.name = decode(p_name, 'hex'));
END $function$;`
}

/** Nodes, then names with their numbers for a revision, then when the newest change was made. */
function top(schema: string): string {
  return `
${functionHead(
  `${schema}.read_top(p_namespace text, p_generation integer, p_name text)
RETURNS TABLE (kind text, fence text, revision text, data text)`,
  'STABLE',
)}
DECLARE
  v_tree bigint := ${schema}.tree_of(p_namespace, p_generation, p_name);
BEGIN
  RETURN QUERY SELECT 'node', ${COLUMNS} FROM ${schema}.nodes AS n
    WHERE n.tree_id = v_tree AND n.level = ${TOP_LEVEL} ORDER BY n.tree_id, n.level, n.fence;
  RETURN QUERY SELECT 'list', encode(l.name, 'hex'), l.number::text, NULL FROM ${schema}.lists AS l
    WHERE l.tree_id = v_tree ORDER BY l.tree_id, l.number;
  RETURN QUERY SELECT 'mark', NULL, max(m.as_of)::text, NULL FROM ${schema}.indexes AS i
    JOIN ${schema}.marks AS m ON m.index_id = i.id WHERE i.namespace = decode(p_namespace, 'hex');
END $function$;`
}

function nearest(schema: string): string {
  return `
${functionHead(
  `${schema}.read_nearest(p_namespace text, p_generation integer, p_name text, p_level integer, p_fences text[])
RETURNS ${NODE}`,
  'STABLE',
)}
DECLARE
  v_tree bigint := ${schema}.tree_of(p_namespace, p_generation, p_name);
  v_level smallint := p_level;
  v_fence bytea;
  v_found bytea[] := '{}';
BEGIN
  -- From the highest fence on: one that is not below the node that another is in is in the same.
  FOR v_fence IN SELECT decode(f, 'hex') FROM unnest(p_fences) AS f ORDER BY 1 DESC LOOP
    CONTINUE WHEN v_fence >= v_found[cardinality(v_found)];
    v_fence := (SELECT n.fence FROM ${schema}.nodes AS n WHERE n.tree_id = v_tree AND n.level = v_level AND n.fence <= v_fence
      ORDER BY n.tree_id DESC, n.level DESC, n.fence DESC LIMIT 1);
    EXIT WHEN v_fence IS NULL;
    v_found := v_found || v_fence;
  END LOOP;
  RETURN QUERY SELECT ${COLUMNS} FROM unnest(v_found) WITH ORDINALITY AS f(fence, number) JOIN ${schema}.nodes AS n
    ON n.tree_id = v_tree AND n.level = v_level AND n.fence = f.fence ORDER BY f.number;
END $function$;`
}

function range(schema: string): string {
  return `
${functionHead(
  `${schema}.read_range(
  p_namespace text, p_generation integer, p_name text, p_level integer, p_from text, p_to text, p_most bigint
) RETURNS ${NODE}`,
  'STABLE',
)}
DECLARE
  v_tree bigint := ${schema}.tree_of(p_namespace, p_generation, p_name);
  v_level smallint := p_level;
  v_from bytea := decode(p_from, 'hex');
  v_to bytea := decode(p_to, 'hex');
BEGIN
  IF v_to IS NULL THEN
    RETURN QUERY SELECT ${COLUMNS} FROM ${schema}.nodes AS n
      WHERE n.tree_id = v_tree AND n.level = v_level AND n.fence >= v_from
      ORDER BY n.tree_id, n.level, n.fence LIMIT p_most;
  ELSE
    RETURN QUERY SELECT ${COLUMNS} FROM ${schema}.nodes AS n
      WHERE n.tree_id = v_tree AND n.level = v_level AND n.fence >= v_from AND n.fence < v_to
      ORDER BY n.tree_id, n.level, n.fence LIMIT p_most;
  END IF;
END $function$;`
}
