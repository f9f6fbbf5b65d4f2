// @ts-check

/**
 * Shows the ratings by month below the product, from the page that the link leads to; a second click takes them away.
 *
 * @param {(root: ParentNode) => void} whenShown
 */
export function startTrend(whenShown) {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const link = event.target instanceof Element ? event.target.closest('a[data-trend]') : null
    const place = document.querySelector('#trend')
    if (!(link instanceof HTMLAnchorElement) || !(place instanceof HTMLElement)) return
    event.preventDefault()
    if (place.firstElementChild === null) void loadTrend(link, place, whenShown)
    else tellTrend(link, place, place.hidden)
  })
}

/**
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} place
 * @param {(root: ParentNode) => void} whenShown
 */
async function loadTrend(link, place, whenShown) {
  try {
    const response = await fetch(link.href, { headers: { Accept: 'text/html' } })
    const chart = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('#trend-chart')
    if (!response.ok || chart === null) return location.assign(link.href)
    place.replaceChildren(chart)
    whenShown(place)
    tellTrend(link, place, true)
  } catch {
    location.assign(link.href)
  }
}

/**
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} place
 * @param {boolean} isShown
 */
function tellTrend(link, place, isShown) {
  place.hidden = !isShown
  link.setAttribute('aria-expanded', String(isShown))
  const title = place.querySelector('#trend-title')
  if (isShown && title instanceof HTMLElement) title.focus({ preventScroll: true })
}
