/** Pages that belong together: what the navigation calls each, and where it is, from docs/. */
export interface Subject {
  readonly text: string
  readonly pages: readonly (readonly [title: string, page: string])[]
}

/** The pages of the site by subject. Pages of docs/ that are not here follow under More; the API and the decisions come from what is there. */
export const NAVIGATION: readonly Subject[] = [
  {
    text: 'Begin',
    pages: [
      ['The first ten minutes', 'start'],
      ['Does it fit?', 'fit'],
      ['Compared with other ways', 'comparison'],
      ['ElectroDB and DynamoDB-Toolbox', 'peers'],
      ['The names in the examples', 'examples'],
    ],
  },
  {
    text: 'Guides',
    pages: [
      ['Orders, tickets, audit log', 'recipes'],
      ['An existing table', 'existing-table'],
      ['An API in five minutes', 'http-any'],
      ['Importing', 'importing'],
      ['Jest and CommonJS', 'toolchains'],
    ],
  },
  {
    text: 'Lists and plans',
    pages: [
      ['Every way to filter', 'ways-to-filter'],
      ['Layout: indexes', 'layouts/indexes'],
      ['Layout: power set', 'layouts/power-set'],
      ['Layout: native keys', 'layouts/native-keys'],
      ['A layout of your own', 'layouts/your-own'],
      ['Several orders', 'orders'],
      ['Changing a declaration', 'declarations'],
      ['Writing', 'writing'],
      ['Planner', 'planner'],
      ['What a page costs', 'costs'],
      ['Smaller items', 'smaller-items'],
      ['Adviser', 'adviser'],
    ],
  },
  {
    text: 'Counts and page numbers',
    pages: [
      ['Statistics and leaderboards', 'statistics'],
      ['Columns', 'columns'],
      ['Page numbers', 'page-numbers'],
      ['Page markers', 'page-index/page-markers'],
      ['PostgreSQL', 'page-index/postgres'],
      ['Files', 'page-index/files'],
      ['S3', 'page-index/s3'],
      ['Redis protocol', 'page-index/resp'],
      ['Change stream', 'change-stream'],
      ['Verify, repair, rebuild', 'verify-and-rebuild'],
    ],
  },
  {
    text: 'Running it',
    pages: [
      ['On AWS', 'deploy'],
      ['Operations', 'operations'],
      ['Scale', 'scale'],
      ['Traces, metrics, logs', 'observability'],
      ['Engines', 'engines'],
      ['IAM policy', 'iam'],
      ['Command line', 'cli'],
      ['The studio', 'studio'],
      ['HTTP API', 'http-api'],
      ['Web pages', 'web'],
      ['Votes and orders', 'votes'],
      ['Security', 'security'],
      ['Report a weakness', 'report-a-weakness'],
      ['Errors', 'errors'],
    ],
  },
  {
    text: 'Packages',
    pages: [
      ['lapidary', 'packages/lapidary'],
      ['lapidary-pages', 'packages/pages'],
      ['lapidary-adviser', 'packages/adviser'],
      ['lapidary-testing', 'packages/testing'],
      ['lapidary-engine', 'packages/engine'],
      ['lapidary-http', 'packages/http'],
      ['lapidary-cdk', 'packages/cdk'],
      ['lapidary-cli', 'packages/cli'],
      ['lapidary-studio', 'packages/studio'],
      ['lapidary-resp', 'packages/resp'],
      ['lapidary-telemetry', 'packages/telemetry'],
      ['Changes', 'changelog'],
      ['Versions', 'versions'],
    ],
  },
  {
    text: 'Inside, for contributors',
    pages: [
      ['Contributing', 'contributing'],
      ['The planner', 'inside/planner'],
      ['The page index', 'inside/page-index'],
      ['The change stream', 'inside/change-stream'],
      ['Mutation testing', 'inside/mutation-testing'],
      ['Figures', 'figures'],
    ],
  },
]
