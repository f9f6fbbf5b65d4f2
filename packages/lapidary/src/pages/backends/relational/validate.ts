import type { NodeLimits } from './edit-functions.ts'
import type { QuerySql } from './sql-client.ts'

/** Checks the nodes of a group. @throws {Error} that names what is broken. */
export async function validateGroup(query: QuerySql, schema: string, limits: NodeLimits, group: string): Promise<void> {
  const problems = await query(problemsOf(schema, limits), [group])
  if (problems.length > 0) throw new Error(problems.map(({ problem }) => problem).join('; '))
}

/** Counts everything anew from the entries, by the nodes that they fall in. */
function problemsOf(schema: string, { entries, segments }: NodeLimits): string {
  return `
WITH own AS (
  SELECT * FROM ${schema}.nodes WHERE group_id = $1::text::bigint
), ranges AS (
  SELECT id, level, score, member,
    lead(score, 1, 'NaN') OVER by_level AS to_score, lead(member, 1, '') OVER by_level AS to_member
  FROM own WINDOW by_level AS (PARTITION BY level ORDER BY score, member)
), truth AS (
  SELECT r.id, e.cell, count(*) AS entries FROM ranges AS r JOIN ${schema}.entries AS e
    ON e.group_id = $1::text::bigint AND e.cell > 0
    AND (e.score, e.member) >= (r.score, r.member) AND (e.score, e.member) < (r.to_score, r.to_member)
  GROUP BY r.id, e.cell
), kept AS (
  SELECT k.* FROM ${schema}.counts AS k JOIN own ON own.id = k.node_id
)
SELECT format('the node %s counts %s entries of the list %s, and has %s',
    coalesce(t.id, k.node_id), k.entries, coalesce(t.cell, k.cell), t.entries) AS problem
  FROM truth AS t FULL JOIN kept AS k ON k.node_id = t.id AND k.cell = t.cell
  WHERE k.entries IS DISTINCT FROM t.entries
UNION ALL
SELECT format('the segment %s has %s entries', id, sum(entries)) FROM own JOIN kept ON node_id = id
  WHERE level = 1 GROUP BY id HAVING sum(entries) > ${entries}
UNION ALL
SELECT format('the branch %s has %s segments', b.id, count(s.id)) FROM ranges AS b LEFT JOIN own AS s
    ON s.level = 1 AND (s.score, s.member) >= (b.score, b.member) AND (s.score, s.member) < (b.to_score, b.to_member)
  WHERE b.level = 2 GROUP BY b.id
  HAVING count(s.id) > ${segments} OR bool_or((s.score, s.member) = (b.score, b.member)) IS NOT TRUE
UNION ALL
SELECT format('level %s has no first node', l.level) FROM (VALUES (1), (2)) AS l(level)
  WHERE NOT EXISTS (SELECT FROM own WHERE own.level = l.level AND own.score = '-Infinity')
UNION ALL
SELECT format('the node %s is empty', id) FROM own
  WHERE score > '-Infinity' AND NOT EXISTS (SELECT FROM kept WHERE node_id = own.id)
    AND (level = 2 OR NOT EXISTS (
      SELECT FROM own AS b WHERE b.level = 2 AND b.score = own.score AND b.member = own.member))
UNION ALL
SELECT format('the entry %s has no list', encode(member, 'escape')) FROM ${schema}.entries AS e
  WHERE e.group_id = $1::text::bigint AND e.cell > 0
    AND NOT EXISTS (SELECT FROM ${schema}.cells AS c WHERE c.group_id = e.group_id AND c.cell = e.cell)`
}
