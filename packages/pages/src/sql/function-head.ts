/**
 * How each function begins. Its plans are kept while the lists grow from nothing to millions of entries, so they must not be those
 * that suit small tables.
 */
export function functionHead(signature: string, volatility: 'VOLATILE' | 'STABLE' = 'VOLATILE'): string {
  return `CREATE FUNCTION ${signature}
LANGUAGE plpgsql ${volatility}
SET search_path = pg_catalog SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column`
}
