import { gunzipSync } from 'node:zlib'

/**
 * An empty database of dynoxide 1.2.1 with two indexes on its table of stream records. Without them it reads that whole
 * table for every write, to find the next sequence number: writes get slower the more there were, from 1,300 a second to 50
 * after 50,000. A later dynoxide migrates it as it does its own.
 *
 * Made by starting dynoxide on a new file, ending it, and then with SQLite: the statements of {@link STREAM_INDEXES},
 * `VACUUM`, `gzip -9 -n`.
 */
const EMPTY_DATABASE = [
  'H4sIAAAAAAACA+3aPU/bQBgHcIdAXqggtEtUsdwGEbQqqqqqA1JdcBFqCBAMAnWwLvYRrnXsYJ/TMkYdGPuVuva7VO3asefYAWLnBbqB/j/F',
  'il/uHj++Ox9xwsF+lQtGTl2vRQV5qSwoU1PKW0IURcnKpahcy8ll+sZ2Rpksqzw3M3Olv0oh/0MprZd+PnpVmi+qhT+FfbkDAAAA/kt3vpAv',
  'v17JdLe4Y7GvNm1zi3oXhi88RluGf0Y9q7/hMdP1LL+4UddUXSPbtU3tmAytQXZrJFGLLAvasJnh0BZbJVFcbsk1dh4wx5QHglaDeZXuYj5f',
  'XpcJfRyeUL/4YPTC+JziShPT2lAP9OVERkQ9kGF1bUurVyp7uVx5ZSVz0qvkn9vys89V9MRmPk5JV99VNZI4uNw7n9yqfDufyYchL59GiQym',
  'l9jMDcRMXcosSeBWP3WyV9/eUesn5IN2QtRDfXe7JmPtaDV9NVXrukWIrh3rpLYrl8NqNV2SdZgjblXyM7vwjU++60wq6LAvBm/RZhQxfdy1',
  'rbHHk7034XT9gTipnClbWjDLkB9y+y06unDgM0/GlG3DxUUv8kCRyuVRNl9eXMx8z0ZNHY2m+G16sI+jnUP6NtlLNzp4aPMbvnnGWnTShVIh',
  'PN4I5Fi12Cl3uOCu40+q1PR5qni6lH2rUvGgZk54fdfjd1N7rx5WdfJiZI0Ol0NHXLTZ+MA2bTB7RBEhbOOqAcaUuUNydxo4/SmAiiDR5len',
  'WFI39O0jbSlducFtmztNo+Va8ZC4qrOnnhh7Wt2oa/uH2oE+pHLbczvcl90iUxVnnhs0z9qBGNUEtDmy93yZf5uZ/JSbNOzmkSHCKzVt6o+K',
  'ZDGbhQEMmZpgZm/1Du0uS1tyuDu3upwwl3gOSB/uyJO78n4O/xylxu/gjf1sOldWFzNKr2w85dNAuFHd/n2+Fq/MdIuZ3jzQ5XFzuM4pb8Zv',
  'U4PzQLRzyDwgb+1bTAAdageJSTqR+tTY1OPU1uKV8Nm+EH5+mAsf5Eu/FPkCAAAAAAAAgAfgSSZbKUXfIhod5oXfFr2Z7T3//1bkCwAAAAAA',
  'AAAehMfZSnHwC4Dw939lAS0DAAAAAAAA8JDN4vkfAAAAAAAA4MHD7/8AAAAAAAAAeP4HAAAAAAAAgPsP//8PAAAAAAAAgOd/AAAAAAAAALj/',
  '/gFRkfN7AJAAAA==',
].join('')

/** The statements that make the two indexes in a database that lacks them. */
export const STREAM_INDEXES: string = `
  CREATE INDEX IF NOT EXISTS lapidary_stream_sequence ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  CREATE INDEX IF NOT EXISTS lapidary_stream_shard ON _stream_records (table_name, shard_id, sequence_number);`

export function emptyDatabase(): Buffer {
  return gunzipSync(Buffer.from(EMPTY_DATABASE, 'base64'))
}
