/** Addresses that only a form is sent to, and the pages where its reader goes on. */
const PAGES: readonly (readonly [address: RegExp, page: string])[] = [
  [/^(\/p\/[^/]+)\/comments(\/[^/]+\/(vote|delete))?$/, '$1'],
  [/^(\/moderation)\/sign-(in|out)$/, '$1'],
  [/^\/(sign-out|language)$/, '/'],
]

/** Returns the page to open for the path of a page that a reader has seen: what answers a form stands at an address that can't be opened. */
export function openablePath(path: string): string {
  return PAGES.reduce((openable, [address, page]) => openable.replace(address, page), path)
}
