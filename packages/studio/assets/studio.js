// Makes the pages quicker to use. Each of them works without it.

const main = () => document.getElementById('main')

/** Opened parts of the page stay open, and closed ones closed. */
const openIds = () =>
  new Map([...document.querySelectorAll('main details[id]')].map((details) => [details.id, details.open]))

/** Shows another address in the same document: the focus stays where it was, as far as that is still there. */
async function show(address, { push = true } = {}) {
  const from = main()
  const focused = document.activeElement?.id
  from.setAttribute('aria-busy', 'true')
  let response
  try {
    response = await fetch(address, { headers: { Accept: 'text/html' } })
  } catch {
    location.assign(address)
    return
  }
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  const opened = openIds()
  const shown = next.getElementById('main')
  if (shown === null) {
    location.assign(address)
    return
  }
  for (const details of shown.querySelectorAll('details[id]'))
    if (opened.has(details.id) && !details.classList.contains('menu')) details.open = opened.get(details.id)
  from.replaceWith(shown)
  document.title = next.title
  if (push) history.pushState(null, '', response.url)
  prepare()
  const target = focused ? document.getElementById(focused) : null
  ;(target ?? document.getElementById('results') ?? shown).focus({ preventScroll: target !== null })
  document.getElementById('announcer').textContent = document.getElementById('results')?.textContent ?? next.title
}

/** Shows the buttons that copy what stands beside them. */
function prepareCopies() {
  if (navigator.clipboard === undefined) return
  for (const button of document.querySelectorAll('.plan-copy')) {
    const label = button.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent)
        button.textContent = button.dataset.copied
      } catch {
        button.textContent = button.dataset.refused
      }
      document.getElementById('announcer').textContent = button.textContent
      setTimeout(() => {
        button.textContent = label
      }, 2000)
    })
  }
}

addEventListener('popstate', () => show(location.href, { push: false }))

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-swap]')
  if (link === null || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  show(link.href)
})

document.addEventListener('submit', (event) => {
  const form = event.target.closest('form[data-swap]')
  if (form === null) return
  event.preventDefault()
  const address = new URL(form.action)
  address.search = new URLSearchParams(new FormData(form)).toString()
  show(address)
})

document.addEventListener('change', (event) => {
  event.target.closest('form[data-auto]')?.requestSubmit()
})

// A menu closes by Escape, and by a click beside it.
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    menu.open = false
    menu.querySelector('summary').focus()
  }
})
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details.menu[open]'))
    if (!menu.contains(event.target)) menu.open = false
})

/** Asks for the job anew while it runs; its end shows the whole page anew, with what it changed. */
function followJob() {
  const job = document.getElementById('job')
  if (job?.dataset.state !== 'running') return
  setTimeout(async () => {
    const back = new URLSearchParams({ back: location.pathname })
    const response = await fetch(`/operate/job?${back}`).catch(() => undefined)
    if (response === undefined || !response.ok) return followJob()
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('job')
    const shown = document.getElementById('job')
    if (next === null || shown === null) return
    if (next.dataset.state !== 'running') {
      await show(location.href, { push: false })
      document.getElementById('announcer').textContent = document.getElementById('job-title')?.textContent ?? ''
      return
    }
    // The button that stops it keeps the focus.
    for (const part of ['p', 'progress', 'small']) {
      const [old, fresh] = [shown.querySelector(part), next.querySelector(part)]
      if (old !== null && fresh !== null) old.replaceWith(fresh)
    }
    followJob()
  }, 1000)
}

/** Fetches counts that took longer than the page, and puts them in their places. */
async function fetchCounts() {
  const shown = document.querySelector('.browse[data-counting]')
  if (shown === null) return
  const response = await fetch(location.href, { headers: { Accept: 'text/html', Prefer: 'wait=60' } }).catch(
    () => undefined,
  )
  if (response === undefined || !response.ok || !shown.isConnected) return
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  const opened = openIds()
  const focused = document.activeElement?.id
  for (const id of ['filters', 'results', 'as-of']) {
    const [old, fresh] = [document.getElementById(id), next.getElementById(id)]
    if (old === null || fresh === null) continue
    for (const details of [fresh, ...fresh.querySelectorAll('details[id]')])
      if (opened.has(details.id)) details.open = opened.get(details.id)
    // What is being typed stays.
    for (const field of old.querySelectorAll('input[id], textarea[id]')) {
      const own = fresh.querySelector(`#${CSS.escape(field.id)}`)
      if (own !== null) own.value = field.value
    }
    old.replaceWith(fresh)
  }
  shown.removeAttribute('data-counting')
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
  document.getElementById('announcer').textContent = document.getElementById('results')?.textContent ?? ''
}

function prepare() {
  for (const button of document.querySelectorAll('form[data-auto] .apply')) button.hidden = true
  followJob()
  fetchCounts()
  prepareCopies()
}

// On a narrow screen the filter would push the list out of sight.
const filters = document.getElementById('filters')
if (filters !== null && matchMedia('(max-width: 60rem)').matches) filters.open = false
prepare()
