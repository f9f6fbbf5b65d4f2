/** Where the site is: earlier versions stand beside this one, each under its own name (npm run docs -- all). */
export const BASE: string = process.env.DOCS_BASE ?? '/'

/**
 * Words that people type and the page that they look for, where the page says it in other words. What is typed is found by these before anything
 * else, so each word belongs to one page, or to few.
 */
export const SEARCH_WORDS: Readonly<Record<string, string>> = {
  start:
    'getting started, get started, quick start, quickstart, install, setup, tutorial, introduction, hello world, first steps, example',
  playground: 'try it, sandbox, online, REPL, demo',
  fit: 'limitations, quotas, maximum, FAQ, pros and cons, when not to use',
  comparison: 'Elasticsearch, OpenSearch, Algolia, PostgreSQL, alternatives, compare, versus',
  peers: 'ElectroDB, DynamoDB-Toolbox, OneTable, Dynamoose, TypeDORM, ORM, single-table design',
  'guides/counts-in-tests': 'flaky test, wait for, eventually, integration test',
  'guides/jest-and-vitest': 'Jest, Vitest, unit test, mock, test runner',
  'guides/infinite-scroll': 'infinite scroll, load more, endless list, React, Vite, hook',
  'guides/nextjs': 'Next.js, server component, Vercel, SSR',
  'guides/lambda': 'Lambda, API Gateway, function URL, handler, esbuild',
  'guides/appsync': 'GraphQL, AppSync, Amplify, resolver',
  recipes: 'cookbook, how to, samples',
  'existing-table': 'legacy, existing table, adopt, migrate from',
  'ways-to-filter': 'filter, where, query, scan, contains, begins_with, between, range, IN, filter expression, search',
  orders: 'sort, sorting, order by, sorted, ascending, descending, newest first, sort by',
  declarations: 'migrate, migration, backfill, schema change, add an index, add a facet, rename, evolve',
  'layouts/indexes': 'GSI, global secondary index, LSI, index, partition key, sort key, projection',
  columns: 'many facets, faceted search, boolean, OR, NOT, bitmap',
  writing: 'put, update, delete, transaction, TTL, expire, optimistic locking, conditional write, idempotency',
  planner: 'explain, query plan, execution plan, optimizer',
  costs: 'cost, price, pricing, bill, RCU, WCU, read capacity, dollars, cheap, expensive',
  'smaller-items': 'compress, compression, item size, gzip, CBOR',
  statistics:
    'leaderboard, ranking, top ten, count, counts, counter, sum, total, average, aggregate, aggregation, group by, histogram, facet counts, GROUP BY',
  'page-numbers':
    'pagination, paginate, paging, pager, page number, page numbers, cursor, offset, skip, jump to page, last page, next page',
  'change-stream': 'DynamoDB Streams, trigger, event source mapping, eventual consistency, delay, lag',
  'verify-and-rebuild': 'wrong counts, drift, repair, rebuild, consistency check, recount',
  deploy: 'AWS, deploy, CDK, CloudFormation, serverless, CloudFront, production',
  operations: 'upgrade, rollback, restore, backup, incident, runbook, hot partition, disaster recovery',
  scale: 'hot key, throughput, billion, throttling, sharding',
  observability:
    'logging, monitoring, metrics, tracing, OpenTelemetry, Prometheus, Grafana, CloudWatch, dashboard, alarm',
  engines: 'DynamoDB Local, LocalStack, emulator, Docker, offline, ScyllaDB, DAX, local development',
  iam: 'permissions, policy, role, IAM, AccessDenied',
  cli: 'command line, npx, CLI, terminal',
  importing: 'import, CSV, export, bulk load, migrate data, JSON Lines, spreadsheet',
  studio: 'GUI, admin, browser, console, UI, table viewer',
  'http-any': 'REST, REST API, OpenAPI, Swagger, Express, Hono, endpoint',
  security: 'authentication, authorization, rate limit, XSS, CSRF, injection',
  errors: 'error codes, exception, throttled, ProvisionedThroughputExceededException, ValidationException, retry',
  toolchains: 'CommonJS, require, ESM, ts-jest, Babel, TypeScript',
  changelog: 'release notes, what is new, versions',
  contributing: 'develop, source code, architecture, pull request',
}

interface Section {
  readonly id: string
  readonly title: string
  readonly titles: readonly string[]
  readonly text: string
}

/**
 * How the index is made and asked: the same for the site's search box and for the test that asks it. The site has the functions as texts, so they name
 * nothing outside.
 */
export const SEARCH = {
  options: {
    fields: ['words', 'title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    extractField: (section: Section, field: keyof Section | 'words'): unknown =>
      field === 'words' ? wordsOf(section) : section[field],
    // Words that each page has say nothing of any, and numbers are read, not looked for.
    processTerm: (term: string): string | null =>
      /^(an?|the|is|are|be|was|it|its|of|to|in|on|at|by|for|with|from|as|that|this|how|what|do|does|can|i|my|we|you|much|many|\d+)$/i.test(
        term,
      )
        ? null
        : term.toLowerCase(),
  },
  searchOptions: {
    fuzzy: 0.2,
    prefix: (term: string): boolean => term.length > 2,
    boost: { words: 12, title: 4, text: 1, titles: 1 },
    // Guides come first; of what an entry exports that whose whole name was typed comes before the rest.
    boostDocument: (id: string, term: string, { title }: { readonly title: string }): number => {
      if (/\/api\//.test(id)) return title.toLowerCase().replace(/^[a-z ]+: |[^\w].*$/g, '') === term ? 0.6 : 0.1
      if (/\/(decisions\/|versions|changelog)/.test(id)) return 0.2
      return /\/(packages|inside|figures|contributing|web|http-api|report)/.test(id) ? 0.5 : 1
    },
  },
}

/** The words of a page belong to its first heading. */
function wordsOf({ id, titles }: Section): string {
  const page = id.slice(BASE.length).replace(/(\.html)?(#.*)?$/, '')
  return titles.length > 0 ? '' : (SEARCH_WORDS[page] ?? '')
}

/**
 * Returns what the index has of a page. Of a decision it has the heading and the context; of what an entry exports the name and the first sentence, since
 * the rest was half of the index and stood above the guides. Tables of figures are not looked for by their numbers.
 */
export function searchedText(page: string, text: string): string {
  const [heading = ''] = /^# .*$/m.exec(text) ?? []
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  if (page.startsWith('api/')) return `${heading}\n\n${/^[A-Z`].*$/m.exec(prose)?.[0] ?? ''}`
  if (page.startsWith('decisions/')) return `${heading}\n\n${/^\*\*[\s\S]*?(?=\n\n|$)/m.exec(text)?.[0] ?? ''}`
  return page === 'figures.md' ? text.replace(/^\|.*$/gm, '') : text
}
