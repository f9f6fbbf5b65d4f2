// @ts-check

/** @typedef {(main: HTMLElement) => void} WhenSwapped */

/** @type {AbortController | undefined} */
let underWay

/**
 * Makes the filter apply at once, and list links swap the page's content, by fetching the very addresses that the form and
 * the links have. Without a connection the list stays; whatever else goes wrong ends in an ordinary page load.
 *
 * @param {WhenSwapped} whenSwapped
 */
export function startFilters(whenSwapped) {
  let address = location.pathname + location.search
  /** @type {WhenSwapped} */
  const swapped = (main) => {
    address = location.pathname + location.search
    whenSwapped(main)
  }

  document.addEventListener('change', ({ target }) => {
    const form = target instanceof Element ? target.closest('form') : null
    if (form?.id === 'filters') show(addressOf(form), 'keep', swapped)
  })
  document.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.id !== 'filters') return
    event.preventDefault()
    const sheet = event.target.closest('[popover]')
    if (sheet instanceof HTMLElement && sheet.matches(':popover-open')) {
      sheet.hidePopover()
      moveFocus('results', undefined)
      document.querySelector('#results')?.scrollIntoView()
    } else show(addressOf(event.target), 'keep', swapped)
  })
  document.addEventListener('toggle', ({ target }) => tellOpen(target), true)
  tellOpen(document.querySelector('#filters-sheet'))
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || !isSameList(link)) return
    event.preventDefault()
    show(new URL(link.href), focusAfter(link), swapped)
  })
  addEventListener('popstate', ({ state }) => {
    // A jump within the page comes here too; the list on show has not changed.
    if (location.pathname + location.search !== address)
      show(new URL(location.href), 'keep', swapped, { ...state, shown: address })
  })
}

/**
 * @param {HTMLAnchorElement} link
 * @returns {'keep' | 'results' | 'chips'}
 */
function focusAfter(link) {
  if (link.closest('.chips') !== null) return 'chips'
  return link.closest('.rating-links') === null ? 'results' : 'keep'
}

/**
 * Says on the button whether the sheet that it opens is open.
 *
 * @param {EventTarget | null} sheet
 */
function tellOpen(sheet) {
  if (!(sheet instanceof HTMLElement) || sheet.id !== 'filters-sheet') return
  const isOpen = sheet.matches(':popover-open')
  document.querySelector('#filters-open')?.setAttribute('aria-expanded', String(isOpen))
}

/** @param {HTMLFormElement} form */
function addressOf(form) {
  const url = new URL(form.action)
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value !== '') url.searchParams.append(name, value)
  }
  return url
}

/**
 * Tells whether a link leads to another page or filter of the list on show; the browser handles links within the page.
 *
 * @param {HTMLAnchorElement} link
 */
function isSameList(link) {
  const inList =
    link.closest('.chips, .own-language, .pages, .relaxations, .empty, .rating-links, .filters-bar') !== null
  return inList && link.origin === location.origin && link.pathname === location.pathname && link.hash === ''
}

/**
 * @param {URL} url
 * @param {'keep' | 'results' | 'chips'} focus
 * @param {WhenSwapped} whenSwapped
 * @param {{ scroll?: number, shown: string }} [restored] the history entry that the reader went back to, and the address of the list on show
 */
async function show(url, focus, whenSwapped, restored) {
  underWay?.abort()
  const own = new AbortController()
  underWay = own
  const main = document.querySelector('main')
  if (main === null) return location.assign(url)
  main.setAttribute('aria-busy', 'true')
  const answer = await fetched(url, own.signal)
  if (own.signal.aborted) return
  if (answer === undefined) return stay(main, restored?.shown)
  try {
    const next = new DOMParser().parseFromString(answer.html, 'text/html')
    const fresh = next.querySelector('main')
    if (!answer.ok || fresh === null) return location.assign(url)
    if (restored === undefined) {
      history.replaceState({ ...history.state, scroll: scrollY }, '')
      history.pushState({}, '', url)
    }
    document.title = next.title
    const before = document.activeElement?.id
    const open = keepState(main, fresh)
    main.replaceWith(fresh)
    open()
    tellOffline(false)
    whenSwapped(fresh)
    moveFocus(focus, before)
    if (restored?.scroll !== undefined) scrollTo(0, restored.scroll)
    else if (focus === 'results') document.querySelector('#results')?.scrollIntoView()
    announce(fresh)
  } catch (error) {
    console.warn('The list could not be shown; loading the whole page instead.', error)
    location.assign(url)
  }
}

/**
 * Fetches a page; undefined where there is no connection, or the fetch was given up.
 *
 * @param {URL} url
 * @param {AbortSignal} signal
 */
async function fetched(url, signal) {
  try {
    const response = await fetch(url, { signal, headers: { Accept: 'text/html' } })
    return { ok: response.ok, html: await response.text() }
  } catch {
    return undefined
  }
}

/**
 * Keeps the list on show, with its filter and its address, and says that there is no connection.
 *
 * @param {HTMLElement} main
 * @param {string | undefined} address the address of the list, where the browser has gone back to another
 */
function stay(main, address) {
  main.removeAttribute('aria-busy')
  const form = main.querySelector('#filters')
  if (form instanceof HTMLFormElement) form.reset()
  if (address !== undefined) history.pushState({}, '', address)
  tellOffline(true)
}

/**
 * Says that there is no connection, above all else on the page, until a list is fetched.
 *
 * @param {boolean} isOffline
 */
function tellOffline(isOffline) {
  const notice = document.querySelector('#offline')
  if (!(notice instanceof HTMLElement)) return
  if (notice.matches(':popover-open')) notice.hidePopover()
  if (!isOffline) return
  notice.showPopover()
  say(notice.textContent ?? '')
}

/**
 * Keeps open what the visitor opened, and keeps what the visitor typed.
 *
 * @param {HTMLElement} from
 * @param {HTMLElement} to
 * @returns {() => void} a function to call once the new content is in the page
 */
function keepState(from, to) {
  let open = () => tellOpen(to.querySelector('#filters-sheet'))
  for (const old of from.querySelectorAll('[data-keep]')) {
    const fresh = to.querySelector(`#${old.id}`)
    if (fresh === null) continue
    if (old.getAttribute('data-keep') === 'popover') {
      if (!(fresh instanceof HTMLElement) || !old.matches(':popover-open')) continue
      const { scrollTop } = old
      open = () => {
        fresh.showPopover()
        fresh.scrollTop = scrollTop
        tellOpen(fresh)
      }
    } else if (old.getAttribute('data-keep') === 'node') fresh.replaceWith(old)
    else fresh.toggleAttribute('open', old.hasAttribute('open'))
  }
  return open
}

/**
 * @param {'keep' | 'results' | 'chips'} focus
 * @param {string | undefined} before
 */
function moveFocus(focus, before) {
  const same = before ? document.getElementById(before) : null
  const chip = document.querySelector('.chip, .clear-all')
  const target = focus === 'keep' ? same : focus === 'chips' ? (same ?? chip) : null
  const fallback = focus === 'keep' && !before ? null : document.querySelector('#results')
  const next = target ?? fallback
  if (next instanceof HTMLElement) next.focus({ preventScroll: true })
}

/** @param {HTMLElement} main */
function announce(main) {
  say(main.querySelector('[data-announce]')?.getAttribute('data-announce') ?? '')
}

/** @param {string} text */
function say(text) {
  const announcer = document.querySelector('#announcer')
  if (announcer === null) return
  // Screen readers do not read the same words twice; a space at the end makes them new.
  announcer.textContent = announcer.textContent === text ? `${text} ` : text
}
