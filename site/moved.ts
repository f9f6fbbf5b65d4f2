/**
 * Where pages and headings of earlier sites are now. The key is an address of the site, without `.html`, or a heading in one; so is the value.
 * A page's own headings go on to the page that it became, unless they are here.
 */
export const MOVED: Readonly<Record<string, string>> = {
  faq: 'fit#questions',
  limits: 'fit#limits',
  'when-not': 'fit#when-not-to-use-it',
  'mutation-testing': 'inside/mutation-testing',

  'index#the-first-ten-minutes': 'start#the-first-ten-minutes',
  'index#the-application': 'start#the-application',
  'index#how-it-works': 'start#how-it-works',
  'index#the-house': 'start#the-house',

  'page-numbers#segments-the-index-in-the-table-itself': 'inside/page-index#segments-the-index-in-the-table-itself',
  'page-numbers#where-the-mix-of-a-list-changes-over-time':
    'inside/page-index#where-the-mix-of-a-list-changes-over-time',
  'page-numbers#at-109-comments-of-one-product': 'inside/page-index#at-109-comments-of-one-product',
  'page-numbers#a-store-of-your-own': 'inside/page-index#a-store-of-your-own',

  'planner#what-entries-weigh': 'inside/planner#what-entries-weigh',
  'planner#how-much-to-read-from-each-list': 'inside/planner#how-much-to-read-from-each-list',
  'planner#shares-are-local': 'inside/planner#shares-are-local',
  'planner#counts-and-lists-are-read-together': 'inside/planner#counts-and-lists-are-read-together',
  'planner#what-a-round-should-be-worth': 'inside/planner#what-a-round-should-be-worth',
  'planner#what-is-remembered': 'inside/planner#what-is-remembered',

  'change-stream#why-it-is-exact': 'inside/change-stream#why-it-is-exact',

  'costs#all-rating-filters': 'figures#all-rating-filters',
  'costs#depth': 'figures#depth',
  'costs#wall-time': 'figures#wall-time',
  'costs#import': 'figures#import',

  'page-index/files#figures': 'figures#page-numbers-in-files',
  'page-index/resp#figures': 'figures#the-server-for-redis-clients',
  'page-index/s3#figures': 'figures#page-numbers-in-s3',
}

/** Returns the address of a page of the site from another one: `page-numbers` from `inside/planner` is `../page-numbers.html`. */
export function addressFrom(page: string, target: string): string {
  const [path = '', heading] = target.split('#')
  return `${'../'.repeat(page.split('/').length - 1)}${path}.html${heading === undefined ? '' : `#${heading}`}`
}

/** Returns the page at an address that is no more: it leads on at once, with the heading that was asked for. */
export function leadingOn(page: string): string {
  const target = addressFrom(page, MOVED[page] ?? '')
  const [path = '', heading = ''] = target.split('#')
  const own = heading === '' ? "''" : `'#${heading}'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<link rel="canonical" href="${path}">
<script>location.replace('${path}' + (location.hash || ${own}))</script>
<meta http-equiv="refresh" content="0; url=${target}">
</head>
<body><p><a href="${target}">This page has moved.</a></p></body>
</html>
`
}
