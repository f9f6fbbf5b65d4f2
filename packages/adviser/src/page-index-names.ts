/** The names of page-index stores in `PAGE_INDEX`, and none. */
export type PageIndexName = 'none' | 'dynamodb' | 'page-markers' | 'redis' | 'postgres' | 'pglite' | 'file' | 's3'

/** The stores that are kept in the table itself. */
export const OWN_INDEXES: readonly PageIndexName[] = ['none', 'dynamodb', 'page-markers']

export const PAGE_INDEXES: readonly PageIndexName[] = [...OWN_INDEXES, 'redis', 'postgres', 'pglite', 'file', 's3']
