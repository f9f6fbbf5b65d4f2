/** The texts of the query plan, in English. What the planner itself wrote, such as `MERGE BY position`, is the same in each language. */
export const planInEnglish = {
  label: 'Query plan',
  how: 'How?',
  line: (rcu: string, rounds: string): string => `Read for ${rcu} RCU in ${rounds}.`,
  forList: (expected: string): string => `for the list, ${expected} expected`,
  forCounts: 'for the counts',
  forPageIndex: 'for the page index',
  forHighlights: 'for the highlights',
  shownOf: (shown: string, read: string): string => `${shown} shown of ${read} read`,
  layout: 'layout',
  ran: 'What ran',
  limits: 'Skipped, limits and warnings',
  noLimits: 'No list was skipped and no limit was hit.',
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
  copied: 'Copied',
  copyRefused: 'Copying was refused',

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
  },
  step: 'Step',
  items: 'Items',
  shown: 'shown',
  discarded: 'discarded',
  expected: 'expected',
  read: 'read',
  used: 'used',
  itemsExpected: 'items expected',
  rcuExpected: 'RCU expected',
  costliest: 'costliest',
  moreThanExpected: 'more than expected',
  lane: (shown: string, discarded: string): string => `${shown} shown, ${discarded} discarded`,

  why: 'Why this plan',
  plan: 'Plan',
  rounds: 'Rounds',
  withRounds: 'With rounds',
  taken: 'Taken',
  priced: (roundPrice: string): string =>
    `Expected figures. Each round after the first is priced at ${roundPrice} RCU; the least price wins, then fewer requests.`,

  wordsTitle: 'What do these words mean?',
  words: [
    [
      'RCU',
      'Read capacity unit, what DynamoDB charges for reading. Half a unit reads up to 4 KB of a list; each list read costs at least that.',
    ],
    ['Round', 'Requests sent together. A page that needs one round takes as long as its slowest request.'],
    ['List', 'The comments under one key of an index, already sorted: product 42, English, 5 stars.'],
    ['Merge', 'Several sorted lists become one by always taking the newest comment at hand.'],
    [
      'Discarded',
      'Read but not shown: read in advance to be sure of the order, or refused by a filter. It was paid for.',
    ],
    ['Expected', 'What the planner thought before it ran anything; it chose the plan by this.'],
  ] as readonly (readonly [word: string, meaning: string])[],
}
