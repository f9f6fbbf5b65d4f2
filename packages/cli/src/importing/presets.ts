import { languageOfCountry, readLanguage } from './read-language.ts'

/** A column that an attribute is taken from. */
export interface Column {
  readonly name: string
  /** Makes the attribute's text of what is in the cell; undefined where there is none. */
  readonly read?: (text: string) => string | undefined
}

/** Where an export has what reviews are made of. */
export interface Preset {
  /** Columns by attribute, as an export calls them; of several the first with a value counts. Case, spaces and underscores make no difference. */
  readonly columns: Readonly<Record<string, readonly (string | Column)[]>>
  /** Values of attributes that the export does not tell, where items need them. */
  readonly defaults?: Readonly<Record<string, string>>
  /** Columns whose values say that a review is hidden. */
  readonly hidden?: Readonly<Record<string, readonly string[]>>
  /** Whether the columns of a tab-separated file have quotes of their own. */
  readonly quotesInTsv?: boolean
}

/** The id in the address of a review in the Play Console. */
function idInLink(link: string): string | undefined {
  const [, id] = /(?:[?&]reviewId=|ReviewPlace:id=)([^&#]+)/i.exec(link) ?? []
  try {
    return id === undefined ? undefined : decodeURIComponent(id)
  } catch {
    return id
  }
}

/** A column whose name says that its times are in UTC; those with a zone of their own keep it. */
function inUtc(name: string): Column {
  return { name, read: (text) => (/\d(Z|[+-]\d\d:?\d\d)$/.test(text.trim()) ? text : `${text.trim()}Z`) }
}

/** A column that says whether the writer bought the product: `1`, `yes`, `Verified Purchase`; anything else says no. */
function bought(name: string): Column {
  return { name, read: (text) => String(/^\s*(1|y|yes|true)\s*$|verif/i.test(text)) }
}

/** A column with the number of people who found a review helpful: `12`, `1,204 people found this helpful`. */
function votes(name: string): Column {
  return { name, read: (text) => /\d+/.exec(text.replaceAll(/(?<=\d)[,.](?=\d{3}\b)/g, ''))?.[0] }
}

/** Presets by name, from the public documentation of what each service exports. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  // The review exports of WordPress: the names are those of the comments table.
  woocommerce: {
    columns: {
      id: ['comment_ID', 'comment_alter_id', 'review_id', 'id'],
      productId: ['product_SKU', 'comment_post_ID', 'product_id', 'sku'],
      rating: ['rating', 'meta:rating', 'star_rating'],
      title: ['title', 'meta:title', 'comment_title', 'review_title'],
      text: ['comment_content', 'review_content', 'review', 'content'],
      author: ['comment_author', 'reviewer', 'author', 'author_name'],
      createdAt: [inUtc('comment_date_gmt'), 'comment_date', inUtc('date_created_gmt'), 'date_created', 'date'],
      language: ['language', 'lang', 'wpml_language', 'locale'],
      verified: [bought('verified')],
    },
    hidden: {
      comment_approved: ['0', 'spam', 'trash', 'post-trashed'],
      status: ['hold', 'spam', 'trash', 'unapproved', 'unspam', 'untrash'],
    },
  },
  // Judge.me, and the Product Reviews app of Shopify before it.
  judgeme: {
    columns: {
      id: ['review_id', 'id', 'uuid'],
      productId: ['product_id', 'product_handle', 'handle', 'product_sku', 'sku', 'product_external_id'],
      rating: ['rating'],
      title: ['title'],
      text: ['body'],
      author: ['reviewer_name', 'author', 'name'],
      createdAt: ['review_date', 'created_at', 'date'],
      language: ['language', 'locale'],
    },
    hidden: {
      curated: ['spam', 'not-yet', 'not yet', 'hidden'],
      state: ['unpublished', 'spam', 'flagged'],
      status: ['unpublished', 'spam', 'hidden', 'pending'],
    },
  },
  yotpo: {
    columns: {
      id: ['Review ID', 'id'],
      productId: ['Product ID', 'SKU', 'Product SKU', 'domain_key', 'Product Domain Key'],
      rating: ['Review Score', 'score', 'Review Rating', 'rating'],
      title: ['Review Title', 'title'],
      text: ['Review Content', 'content', 'Review Body'],
      author: ['Reviewer Display Name', 'Display Name', 'Reviewer Name', 'User Name', 'Customer Name', 'Name'],
      createdAt: ['Review Creation Date', 'Review Date', 'Creation Date', 'Created At', 'Date'],
      language: ['Review Language', 'Language'],
    },
    hidden: {
      'Review Status': ['pending', 'rejected', 'unpublished', 'spam', 'archived', 'escalated'],
      Status: ['pending', 'rejected', 'unpublished', 'spam', 'archived', 'escalated'],
      Published: ['false', 'no', '0'],
      Archived: ['true', 'yes', '1'],
      Deleted: ['true', 'yes', '1'],
    },
  },
  trustpilot: {
    columns: {
      id: ['Review ID'],
      productId: ['Product ID', 'Product SKU', 'SKU', 'Domain URL', 'Domain', 'Business Unit ID', 'Location ID'],
      rating: ['Review Stars', 'Stars', 'Rating'],
      title: ['Review Title', 'Title'],
      text: ['Review Content', 'Review Text', 'Review Body', 'Content'],
      author: ['Review Username', 'Consumer Name', 'Reviewer Name', 'Username'],
      createdAt: [inUtc('Review Created (UTC)'), 'Review Created', inUtc('Created (UTC)'), 'Created At'],
      language: ['Review Language', 'Language'],
    },
    hidden: { 'Review Status': ['reported', 'archived', 'deleted', 'hidden', 'pending'] },
  },
  'google-play': {
    columns: {
      id: [{ name: 'Review Link', read: idInLink }, 'Review ID'],
      productId: ['Package Name'],
      rating: ['Star Rating'],
      title: ['Review Title'],
      text: ['Review Text'],
      author: ['Author Name', 'User Name'],
      createdAt: ['Review Submit Millis Since Epoch', 'Review Submit Date and Time'],
      language: ['Reviewer Language'],
    },
    // As the shop itself calls people who have no name.
    defaults: { author: 'A Google user' },
  },
  // The fields of `customerReviews` of the App Store Connect API, and of the feeds before it.
  'app-store': {
    columns: {
      id: ['id', 'Review ID', 'attributes.id'],
      productId: ['App ID', 'App Apple ID', 'Bundle ID', 'App', 'App Name', 'relationships.app.data.id'],
      rating: ['rating', 'attributes.rating', 'Stars', 'Star Rating', 'im:rating'],
      title: ['title', 'attributes.title', 'Review Title', 'Subject'],
      text: ['body', 'attributes.body', 'review', 'Review Text', 'content', 'text'],
      author: ['reviewerNickname', 'attributes.reviewerNickname', 'Nickname', 'author', 'User Name'],
      createdAt: ['createdDate', 'attributes.createdDate', 'Created Date', 'Submission Date', 'Date', 'updated'],
      language: ['Language', 'locale'],
    },
  },
  // The data set of customer reviews (TSV), and what scrapers call the same.
  amazon: {
    columns: {
      id: ['review_id', 'id'],
      productId: ['product_id', 'asin', 'product_asin', 'parent_asin', 'productAsin'],
      rating: [
        'star_rating',
        'rating',
        'stars',
        'review_rating',
        'ratingScore',
        'review_star_rating',
        'overall',
        'score',
      ],
      title: ['review_headline', 'title', 'review_title', 'summary', 'reviewTitle', 'headline'],
      text: [
        'review_body',
        'body',
        'review_text',
        'reviewText',
        'text',
        'content',
        'reviewDescription',
        'review',
        'comment',
      ],
      author: [
        ...[
          'profile_name',
          'reviewer_name',
          'reviewerName',
          'author',
          'reviewer',
          'review_author',
          'user_name',
          'name',
        ],
        ...['author_name', 'customer_name', 'customer_id', 'user_id', 'reviewerID'],
      ],
      createdAt: [
        ...[
          'review_date',
          'date',
          'timestamp',
          'reviewed_at',
          'reviewedIn',
          'reviewTime',
          'unixReviewTime',
          'created_at',
        ],
        ...['review_posted_date', 'review_timestamp', 'reviewDate'],
      ],
      language: [
        { name: 'language', read: readLanguage },
        { name: 'review_language', read: readLanguage },
        ...['marketplace', 'country', 'country_code'].map((name) => ({ name, read: languageOfCountry })),
      ],
      verified: ['verified', 'verified_purchase', 'verifiedPurchase', 'isVerified'].map(bought),
      helpful: ['helpful', 'helpful_votes', 'helpfulVotes', 'helpful_vote'].map(votes),
    },
    quotesInTsv: false,
  },
}

/** A name without what spreadsheets and programs write in their own ways. */
export function plainName(column: string): string {
  return column.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
