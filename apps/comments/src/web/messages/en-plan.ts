import { PICTURE_IN_ENGLISH } from 'lapidary-http/internal/pages'

/** The texts of the query plan, in English. A plan's own line, such as `MERGE BY position`, is a language like SQL: the same in every language. */
export const planInEnglish = {
  label: 'Query plan',
  how: 'How was this list read?',
  line: (rcu: string, rounds: string): string => `Read for ${rcu} RCU in ${rounds}.`,
  shownOf: (shown: string, read: string): string => `${shown} shown of ${read} read`,
  layout: 'layout',
  ran: 'What ran',
  limits: 'Limits and warnings',
  notes: {
    filter: (share: string): string =>
      `The filter lets through ${share} of what it reads; an index on its facets would be cheaper.`,
    filtered: (share: string, items: string): string =>
      `The filter let through ${share} of the items read (${items}); an index on its facets would be cheaper.`,
    having: (share: string): string =>
      `The function let through ${share} of what it judged; a facet for it would be cheaper.`,
    unreadable: (id: string, attribute: string, digits: string): string =>
      `Left out: ${id}, whose ${attribute} is ${digits}, which can’t be read as it is declared.`,
    stopped: {
      maxCapacity: 'The page ends early: one request may read no more.',
      maxBytes: 'The page ends early: one request may judge no more bytes.',
      aborted: 'The page ends early: the request was given up.',
    },
    behind: 'The page index is behind: there are comments past the last one that it has.',
    unknown: {
      absent: 'Nothing is counted for this declaration yet, so totals are not known.',
      filling: 'The counts are being made, so totals are not known yet.',
      abandoned:
        'Another version of the program counts past what this one needs, so totals are not known until it has ended.',
      gap: 'The change stream has lost changes, so totals are not known until a repair has made up for them.',
      uncounted: 'No process follows the change stream, so totals are not known.',
    },
  },
  refusals: {
    sparse: (facet: string, values: string): string => `holds only comments with ${facet} ${values}.`,
    scope: {
      one: 'has lists of one product each, and the query asks for all.',
      all: 'has lists of all products, and the query asks for one.',
    },
    values: {
      open: (facet: string): string => `has a list for each ${facet}, which the query leaves open; not all are known.`,
      range: (facet: string): string =>
        `has a list for each ${facet}, and the query asks for a range; not all are known.`,
    },
    key: {
      null: (facet: string): string => `has nothing without ${facet}.`,
      empty: (facet: string): string => `has nothing with ${facet} empty or missing.`,
    },
    assembled: (collection: string): string => `holds each ${collection} by itself.`,
    sources: (needed: string, most: string): string => `would take ${needed} lists, and a plan reads ${most} at most.`,
    absent: 'is not in the table, or DynamoDB is still building it.',
    filling: 'is not used yet: not every comment is in it.',
    duplicates: 'is not used yet: not every duplicate is there.',
    redeclared: 'is not used: the table has it with another declaration.',
    differs: (what: string, actual: string): string => `is not used: ${what} is ${actual}.`,
  },
  nothing: {
    unmatched: 'no value or no time is left to match',
    indexed: 'the page index has no comment in any list',
  },
  letsThrough: (share: string): string => `lets through ${share}`,
  noLimits: 'No limit was hit.',
  freeHighlights: 'The highlights are on this page, and took nothing more.',
  basis: {
    statistics: 'Expected figures come from statistics: exact counts of this product’s comments.',
    declared:
      'Expected figures come from the frequencies declared for each rating; statistics of this product are not known.',
    default:
      'Expected figures take every value to be equally frequent; nothing was declared and no statistics are known.',
  },
  json: 'The plan as JSON',
  copy: 'Copy as JSON',

  became: (lists: string): string => `How ${lists} became this page`,
  slots: (told: string): string => `First to last comment of the page: ${told}`,
  slotsFrom: (count: string, list: string): string => `${count} from ${list}`,
  firstSlot: 'first comment',
  lastSlot: 'last',

  steps: {
    limit: 'Limit',
    merge: 'Merge',
    having: 'Judge',
    filter: 'Filter',
    source: 'Read',
    empty: 'Nothing to read',
    counts: 'Counts',
    columns: 'Columns',
    pageIndex: 'Page index',
    slice: 'Given up',
    written: 'Written',
  },
  request: (limit: string): string => `limit ${limit}, eventually consistent`,
  step: 'Step',
  items: 'Items',
  shown: 'shown',
  expected: 'expected',
  read: 'read',
  used: 'used',
  itemsExpected: 'items expected',
  rcuExpected: 'RCU expected',
  costliest: 'costliest',
  moreThanExpected: 'more than expected',
  lane: (shown: string, ahead: string, filtered: string): string =>
    `${shown} shown, ${ahead} read ahead, ${filtered} filtered out`,
  picture: PICTURE_IN_ENGLISH,
  /** What a page reads beside its list. */
  beside: {
    highlights: 'Highlights',
    suggestions: 'Filters to drop',
    gallery: 'Photos from customers',
    posted: 'The comment just sent',
    own: 'Your own comment',
    votes: 'Your votes',
    order: 'The order without a choice',
  },

  why: 'Why this plan',
  plan: 'Plan',
  rounds: 'Rounds',
  withRounds: 'With rounds',
  taken: 'Taken',
  withRoundsMeans: (roundPrice: string): string => `RCU, and ${roundPrice} for each round after the first`,
  priced: 'All figures are expected ones. The least with rounds wins, then fewer requests.',

  wordsTitle: 'What do these words mean?',
  words: [
    [
      'RCU',
      'Read capacity unit, what DynamoDB charges for reading. Half a unit reads up to 4 KB of a list; each list read costs at least that.',
    ],
    ['Round', 'Requests sent together. A page that needs one round takes as long as its slowest request.'],
    ['List', 'The comments under one key of an index, already sorted: product 42, English, 5 stars.'],
    ['Merge', 'Several sorted lists become one by always taking the newest comment at hand.'],
    ['Read ahead', 'Read to be sure of the order, and shown on the pages to come. It was paid for.'],
    ['Filtered out', 'Read and refused by a filter: no page shows it. It was paid for.'],
    ['Expected', 'What the planner thought before it ran anything; it chose the plan by this.'],
  ] as readonly (readonly [word: string, meaning: string])[],
}
