// @ts-check

const FORMATS = {
  day: { dateStyle: /** @type {const} */ ('medium') },
  clock: {
    month: /** @type {const} */ ('short'),
    day: /** @type {const} */ ('numeric'),
    hour: /** @type {const} */ ('2-digit'),
    minute: /** @type {const} */ ('2-digit'),
    second: /** @type {const} */ ('2-digit'),
    hourCycle: /** @type {const} */ ('h23'),
    timeZoneName: /** @type {const} */ ('short'),
  },
}

/**
 * Tells times in the reader's zone, and opens long comments where they stand.
 *
 * @param {ParentNode} root
 */
export function startReading(root) {
  const locale = `${document.documentElement.lang}-u-nu-latn`
  for (const time of root.querySelectorAll('time[data-time]')) {
    if (time instanceof HTMLTimeElement) tell(time, locale)
  }
}

/** Opens a long comment in its place; without a script the link leads to it, and opens it too. */
export function startReadMore() {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('.read-more') : null
    const comment = link?.closest('.comment')
    const text = comment?.querySelector('.comment-text')
    if (comment === null || comment === undefined || !(text instanceof HTMLElement)) return
    event.preventDefault()
    comment.classList.add('comment-open')
    text.tabIndex = -1
    text.focus({ preventScroll: true })
  })
}

/**
 * @param {HTMLTimeElement} time
 * @param {string} locale
 */
function tell(time, locale) {
  const date = new Date(time.dateTime)
  const text = new Intl.DateTimeFormat(locale, FORMATS[time.dataset.time === 'clock' ? 'clock' : 'day']).format(date)
  if (time.textContent !== text) time.textContent = text
  const titled = time.closest('[title]') ?? time
  titled.setAttribute('title', new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long' }).format(date))
}
