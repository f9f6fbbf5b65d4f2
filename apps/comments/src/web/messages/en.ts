import { peopleInEnglish } from './en-people.ts'
import { photosInEnglish } from './en-photos.ts'
import { planInEnglish } from './en-plan.ts'
import { votesInEnglish } from './en-votes.ts'

/**
 * Every text of the pages, in English. A text with figures takes them as the reader's locale writes them; a text around a link or a time is two.
 * Other languages have the type of this one, so that a missing text does not compile.
 */
export const en = {
  /** The name of the language in itself, by which its readers find it. */
  name: 'English',
  direction: 'ltr' as 'ltr' | 'rtl',
  languageDisplay: 'dialect' as 'dialect' | 'standard',
  nouns: {
    comment: { one: 'comment', other: 'comments' },
    product: { one: 'product', other: 'products' },
    star: { one: 'star', other: 'stars' },
    page: { one: 'page', other: 'pages' },
    list: { one: 'list', other: 'lists' },
    round: { one: 'round', other: 'rounds' },
    request: { one: 'request', other: 'requests' },
    second: { one: 'second', other: 'seconds' },
    minute: { one: 'minute', other: 'minutes' },
    hour: { one: 'hour', other: 'hours' },
  },
  /** Puts a number before its noun; `category` is the one of `Intl.PluralRules`, since some languages say one and two without a figure. */
  counted: (number: string, noun: string, _category: Intl.LDMLPluralRule): string => `${number} ${noun}`,
  comma: ', ',
  stillCounting: 'still counting',
  asOf: 'As of',
  rated: (rating: string): string => `Rated ${rating} out of 5`,
  ratedOnAverage: (rating: string): string => `Rated ${rating} out of 5 on average`,
  inLanguage: (language: string): string => `in ${language}`,
  anyLanguage: 'Any language',
  backToComments: 'Back to the comments',
  allComments: 'All comments',

  site: {
    what: 'product comments',
    skip: 'Skip to the content',
    footer: 'Every list on these pages is read from DynamoDB by key, and its query plan says what it cost.',
    api: 'HTTP API',
    plansFirst: 'Query plans first',
    countsUpdated: 'Counts updated:',
    languages: 'Language of the pages',
    offline: 'No connection. The list is as it was; try again once you are online.',
  },
  search: {
    ...{ label: 'Product id', example: 'For example 42', go: 'Go', show: 'Show comments' },
    ...{ byName: 'Product name or number', exampleName: 'For example headphones', find: 'Search' },
    /** A script puts the number of products in. */
    suggested: '{count} suggestions, to be reached with the arrow keys',
    noneSuggested: 'No product has this name',
    found: (products: string, typed: string): string => `${products} for “${typed}”`,
    none: (typed: string): string => `No product for “${typed}”`,
    noneHint: 'A word or its beginning will do: accents and capitals don’t matter.',
    more: (most: string): string => `These are the first ${most}. Another word brings others.`,
  },

  home: {
    title: 'Lapidary: product comments',
    description: 'Product comments filtered by language and rating, read from DynamoDB at the cost of a key look-up.',
    heading: 'Every facet of a product’s comments.',
    lead: 'Read them in any language and any set of ratings, and see what each list cost: a key look‑up in DynamoDB, never a scan.',
    read: 'Read its comments',
  },
  board: {
    title: 'Most 5‑star comments',
    read: (rcu: string): string => `Read for ${rcu} RCU.`,
    empty: (language: string | undefined): string =>
      `No 5‑star comment${language === undefined ? '' : ` in ${language}`} is counted yet. A product’s comments are found by its id, above.`,
    unknown: 'The leaderboard is being counted. A product’s comments are found by its id, above.',
    shared: 'shared',
    outOfFive: 'out of 5',
    withFiveStars: 'with 5 stars',
    languages: 'Language of the board',
  },

  product: (id: string): string => `product ${id}`,
  productHead: {
    product: 'Product',
    commentsOn: 'Comments on product',
    behind: (duration: string): string => `Still counting: the counts are ${duration} behind.`,
    uncounted: 'The counts are being rebuilt.',
    lastOn: 'last on',
  },
  /** Names what is listed, for titles: `comments with 1 and 2 stars in German`. */
  listed: ({ comments = 'comments', stars, language, from, to }: Listed): string =>
    [
      comments,
      ...(stars === undefined ? [] : [`with ${stars} ${stars === '1' ? 'star' : 'stars'}`]),
      ...(language === undefined ? [] : [`in ${language}`]),
      ...(from === undefined ? [] : [`from ${from}`]),
      ...(to === undefined ? [] : [`before ${to}`]),
    ].join(' '),
  pageInTitle: (number: string): string => `, page ${number}`,
  description: ({ listed, of, page, order }: Described): string => `${listed} on ${of}${page}, ${order} first.`,
  order: {
    newest: 'newest',
    oldest: 'oldest',
    helpful: 'most helpful',
    highest: 'highest rated',
    lowest: 'lowest rated',
  },

  results: {
    none: 'No comments',
    noneHere: 'No comments here',
    noneOnPage: 'none on this page',
    shown: (count: string): string => `${count} shown`,
    range: (first: string, last: string): string => `${first} to ${last}`,
    rangeOf: (first: string, last: string, total: string): string => `${first} to ${last} of ${total}`,
    write: 'Write a comment',
  },
  filter: {
    title: 'Filter',
    chosen: 'chosen',
    rating: 'Rating',
    ratings: 'Ratings',
    language: 'Language',
    order: 'Order',
    newestFirst: 'Newest first',
    oldestFirst: 'Oldest first',
    clear: 'Clear',
    apply: 'Apply',
    applyChanges: 'Apply changes',
    show: (comments: string): string => `Show ${comments}`,
    showComments: 'Show comments',
    withRating: (stars: string): string => `With ${stars}`,
    withoutRating: (stars: string): string => `Without ${stars}`,
    active: 'Active filters',
    remove: (name: string): string => `Remove filter: ${name}`,
    ownLanguage: (language: string, count: string): string => `In ${language} (${count})`,
    clearAll: 'Clear all',
    from: (day: string): string => `From ${day}`,
    before: (day: string): string => `Before ${day}`,
  },
  empty: {
    title: 'No comments yet',
    invitation: 'Have you used it? Be the first to say what it is like; it takes a minute.',
    pageTitle: 'There are no comments on this page.',
    filterTitle: 'No comment passes all of these filters.',
    noHelp: 'Dropping one of them does not help.',
    clearFilters: 'Clear all filters',
    toSee: 'To see comments:',
    onePage: 'There is only 1 page.',
    pages: (pages: string): string => `There are ${pages}.`,
    toFirst: 'Go to the first page',
    toLast: (number: string): string => `Go to page ${number}, the last`,
    toFirstOfThese: 'Go to the first page of these comments',
    dropLanguage: (language: string): string => `Drop ${language}: show any language`,
    dropRatings: (stars: string): string => `Drop ${stars}: show any rating`,
    dropDates: 'Drop the dates: show any time',
    dropAll: 'Clear all: show every comment',
  },
  pages: {
    label: 'Pages',
    previous: 'Previous page',
    next: 'Next page',
    first: 'First page',
    page: 'Page',
    number: (number: string): string => `Page ${number}`,
    numberOf: (number: string, count: string): string => `Page ${number} of ${count}`,
    about: (number: string): string => `About page ${number}`,
    aboutOf: (number: string, count: string): string => `About page ${number} of ${count}`,
    last: (number: string): string => `Page ${number}, the last`,
    of: (count: string): string => `of ${count}`,
    go: 'Go',
  },

  comment: {
    edited: 'edited',
    editedOn: (moment: string): string => `Edited on ${moment}`,
    readMore: 'Read more',
    readMoreOf: (title: string): string => `of ${title}`,
    readMoreBy: (author: string): string => `of the comment by ${author}`,
    untitled: (stars: string, author: string): string => `${stars} by ${author}`,
    described: (stars: string, of: string, author: string): string => `${stars} for ${of}, by ${author}`,
    others: 'Other comments',
    othersWith: (stars: string, _rating: number): string => `Others with ${stars}`,
    othersIn: (language: string): string => `Others in ${language}`,
  },
  highlights: { label: 'Highlights', praise: 'Latest praise', criticism: 'Latest criticism' },

  form: {
    title: 'Write a comment',
    rating: 'Your rating',
    ratings: { 1: 'Bad', 2: 'Poor', 3: 'Fair', 4: 'Good', 5: 'Excellent' },
    titleLabel: 'Title',
    optional: 'Optional',
    text: 'Comment',
    author: 'Your name',
    language: 'Language',
    token: 'Access token',
    tokenHint: 'From the owner of this site; it allows writing',
    publish: 'Publish comment',
    upTo: (characters: string): string => `Up to ${characters} characters`,
    /** The script puts figures in the place of the braces. */
    typed: '{typed} of {most}',
    unpublished: 'Your comment was not published yet. Please correct:',
    changed: 'This form was published already, and you have changed it since. Send it again to publish both.',
    deleted: 'The comment of this form was published, and was deleted since. Send it again to publish it anew.',
    wrong: {
      rating: 'Choose 1 to 5 stars.',
      language: 'Choose one.',
      title: 'Use at most 200 characters.',
      text: 'Write 1 to 10,000 characters.',
      author: 'Write 1 to 100 characters.',
      token: 'This one is not known; check it for typing errors.',
      noToken: 'Enter it.',
    },
    commentOn: (of: string): string => `Comment on ${of}`,
    refused: (of: string): string => `A comment on ${of} that is not published yet.`,
    published: 'Your comment is published.',
    seeIt: 'See it in the list',
    countsFollow: 'Counts and totals follow in a moment.',
  },

  problem: {
    home: 'To the front page',
    again: 'Try again',
    firstOfFilter: 'First page of this filter',
    wait: (seconds: string): string => `Try again in ${seconds}.`,
    more: (count: string): string => `and ${count} more`,
    badLink: {
      title: 'This link leads nowhere',
      text: 'The link to this page of comments is damaged, or was made for another filter.',
    },
    noProduct: {
      title: 'There is no such product',
      text: 'The address may be old or mistyped. The search finds products by name and by number.',
    },
    notFound: {
      title: 'There is no such page',
      text: 'The address may be old or mistyped, or what was there was deleted.',
    },
    formAddress: {
      title: 'There is no such page',
      text: 'Forms are sent to this address; it can’t be opened.',
    },
    badAddress: { title: 'This address can’t be read', text: 'Something in it is not what it should be:' },
    /** The rule for each part of an address. */
    wanted: {
      language: 'must be one language tag, like en or pt-br',
      rating: 'must be whole numbers from 1 to 5, repeated or separated by commas',
      verified: 'must be true or false',
      answered: 'must be true or false',
      order: 'must be newest, oldest, helpful, highest or lowest; with dates, newest or oldest',
      limit: 'must be a whole number from 1 to 100',
      from: 'must be a time like 2020-11-09T12:00:00Z',
      to: 'must be a time like 2020-11-09T12:00:00Z',
      cursor: 'must be given once, and not with a page',
      page: 'must be a whole number from 1 up, and not with a cursor',
      explain: 'must be true or false',
    } as Readonly<Record<string, string>>,
    noNumbers: { title: 'No page numbers here', text: 'Pages can’t be opened by number. Use Next and Previous.' },
    guessing: {
      title: 'Too many attempts',
      text: 'So that nobody guesses tokens or floods this site, you have to wait.',
    },
    tooLong: { title: 'Too long', text: 'A comment has at most 10,000 characters.' },
    away: {
      title: 'One moment, please',
      text: 'The database is busy or away. Nothing was lost; try again in a few seconds.',
    },
    mistake: { title: 'Something went wrong', text: 'This is our mistake, and it was noted.' },
    other: { title: 'This did not work', text: 'The server refused the request:' },
  },
  votes: votesInEnglish,
  photos: photosInEnglish,
  plan: planInEnglish,
  people: peopleInEnglish,
}

/** The filters of a list; all as the locale writes it. */
interface Listed {
  /** `7 comments`; undefined where their number is not told. */
  readonly comments?: string | undefined
  /** `1 and 2` */
  readonly stars: string | undefined
  readonly language: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

interface Described {
  readonly listed: string
  readonly of: string
  /** The page; empty on a first page. */
  readonly page: string
  readonly order: string
}

/** The forms of a noun that is counted, by the categories of `Intl.PluralRules` that the language has. */
export type PluralForms = { readonly [category in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** The texts of the pages in one language. */
export type Messages = Omit<typeof en, 'nouns'> & {
  readonly nouns: Readonly<Record<keyof typeof en.nouns, PluralForms>>
}
