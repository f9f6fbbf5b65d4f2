// @ts-check

/** Milliseconds after which the script asks again for counts that do not include a new comment yet. */
const FOLLOW_AFTER = [1100, 2600, 6000]
/** Milliseconds for which the counts on the page are new enough. */
const FRESH = 2000

let countedAt = performance.now()
/** @type {(main: ParentNode) => void} */
let taken = () => {}

/**
 * Keeps the counts on the page true: after a comment was published, and when the reader comes back to the page.
 *
 * @param {(main: ParentNode) => void} whenTaken called with the content that was taken over
 */
export function startCounts(whenTaken) {
  taken = whenTaken
  if (isBehind()) {
    for (const delay of FOLLOW_AFTER) {
      setTimeout(() => {
        if (isBehind()) refresh()
      }, delay)
    }
  }
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && performance.now() - countedAt > FRESH) refresh()
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) refresh()
  })
}

function isBehind() {
  return document.querySelector('#counts-follow:not([hidden])') !== null
}

/** Fetches the page on show and takes over its counts only. If that fails, the counts stay as they are. */
async function refresh() {
  const main = document.querySelector('main')
  const address = location.pathname + location.search
  if (main === null || main.querySelector('[data-counts]') === null) return
  countedAt = performance.now()
  try {
    const response = await fetch(address, { headers: { Accept: 'text/html' } })
    if (!response.ok) return
    const next = new DOMParser().parseFromString(await response.text(), 'text/html')
    const swapped = !main.isConnected || main.ariaBusy === 'true' || address !== location.pathname + location.search
    if (!swapped) takeOver(main, next)
  } catch (error) {
    console.info('The counts could not be refreshed.', error)
  }
}

/**
 * @param {HTMLElement} main
 * @param {Document} next
 */
function takeOver(main, next) {
  const before = summary(main)
  for (const part of main.querySelectorAll('[data-counts]')) {
    const fresh = next.getElementById(part.id)
    if (fresh !== null) update(part, fresh)
  }
  // It keeps its place, and a page that tells counts which include the comment does not have it.
  const follow = main.querySelector('#counts-follow')
  if (follow instanceof HTMLElement) follow.hidden = next.getElementById('counts-follow') === null
  taken(main)
  const announcer = document.querySelector('#announcer')
  if (announcer !== null && summary(main) !== before) {
    announcer.textContent = `${announcer.getAttribute('data-counts-updated')} ${summary(main)}`
  }
}

/** @param {HTMLElement} main */
function summary(main) {
  return main.querySelector('[data-announce]')?.getAttribute('data-announce') ?? ''
}

/**
 * Makes an element like a fresh one in place, so that focus, ticks and an open menu stay and bars move.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function update(old, fresh) {
  if (old.isEqualNode(fresh)) return
  if (!isAlike(old, fresh)) return replace(old, fresh)
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name)) old.removeAttribute(name)
  }
  const children = [...fresh.childNodes]
  for (const [i, child] of [...old.childNodes].entries()) {
    const counterpart = children[i]
    if (child instanceof Element && counterpart instanceof Element) update(child, counterpart)
    else if (counterpart !== undefined && !child.isEqualNode(counterpart)) child.replaceWith(counterpart)
  }
}

/**
 * Tells whether two elements are alike; options of a menu that change places would take the choice with them.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function isAlike(old, fresh) {
  if (old.localName !== fresh.localName || old.childNodes.length !== fresh.childNodes.length) return false
  if (!(old instanceof HTMLSelectElement && fresh instanceof HTMLSelectElement)) return true
  return [...old.options].every(({ value }, i) => value === fresh.options[i]?.value)
}

/**
 * @param {Element} old
 * @param {Element} fresh
 */
function replace(old, fresh) {
  const focused = document.activeElement
  const id = focused !== null && old.contains(focused) ? focused.id : ''
  if (old instanceof HTMLSelectElement && fresh instanceof HTMLSelectElement) fresh.value = old.value
  old.replaceWith(fresh)
  if (id !== '') document.getElementById(id)?.focus({ preventScroll: true })
}
