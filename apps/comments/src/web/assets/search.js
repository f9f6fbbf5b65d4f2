// @ts-check

/** Milliseconds without a key after which suggestions are asked for. */
const PAUSE = 150

/** Makes each search by name a combobox: suggestions below the field, by the pattern of the ARIA Authoring Practices. */
export function startSearch() {
  for (const form of document.querySelectorAll('form[data-suggested]')) {
    const input = form.querySelector('input')
    const list = form.querySelector('.suggestions')
    if (form instanceof HTMLFormElement && input !== null && list instanceof HTMLElement) suggestFor(form, input, list)
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} input
 * @param {HTMLElement} list
 */
function suggestFor(form, input, list) {
  const announcer = document.querySelector('#announcer')
  /** @type {AbortController | undefined} */
  let asking
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause
  /** What the suggestions are for. */
  let shown = ''

  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', list.id)
  input.setAttribute('aria-expanded', 'false')

  const options = () => [...list.querySelectorAll('[role=option]')]
  const isOpen = () => !list.hidden

  /** @param {boolean} open */
  function setOpen(open) {
    list.hidden = !open
    input.setAttribute('aria-expanded', String(open))
    if (!open) choose(-1)
  }

  /** @param {number} at */
  function choose(at) {
    options().forEach((option, i) => {
      option.setAttribute('aria-selected', String(i === at))
      if (i === at) option.scrollIntoView({ block: 'nearest' })
    })
    const id = options()[at]?.id
    if (id === undefined) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', id)
  }

  const chosen = () => options().findIndex((option) => option.getAttribute('aria-selected') === 'true')

  function forget() {
    clearTimeout(pause)
    asking?.abort()
    asking = undefined
  }

  async function ask() {
    forget()
    const typed = input.value.trim()
    if (typed === '') return setOpen(false)
    if (typed === shown && options().length > 0) return setOpen(true)
    asking = new AbortController()
    const { signal } = asking
    try {
      const response = await fetch(`/suggestions?${new URLSearchParams({ product: typed })}`, { signal })
      if (!response.ok) return setOpen(false)
      list.innerHTML = await response.text()
    } catch {
      // Another letter was typed, or the server is away: the form still works, and says so.
      return
    }
    if (signal.aborted) return
    shown = typed
    options().forEach((option, i) => {
      option.id = `${list.id}-${i}`
    })
    const found = options().length
    setOpen(found > 0)
    const said = found > 0 ? form.dataset.suggested?.replace('{count}', String(found)) : form.dataset.none
    if (announcer !== null) announcer.textContent = said ?? ''
  }

  /** @param {Element | undefined} option */
  function go(option) {
    const href = option?.getAttribute('data-href')
    if (typeof href === 'string') location.assign(href)
  }

  // The field in the header holds the product on show, which is no beginning of another name.
  input.addEventListener('focus', () => input.select())
  input.addEventListener('input', () => {
    forget()
    pause = setTimeout(ask, PAUSE)
  })
  input.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return
    const { length } = options()
    const at = chosen()
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!isOpen()) {
        ask()
        return
      }
      // Behind the last comes the field itself, then the first.
      const step = event.key === 'ArrowDown' ? 1 : -1
      choose(((at + 1 + step + length + 1) % (length + 1)) - 1)
    } else if (event.key === 'Enter' && isOpen() && at >= 0) {
      event.preventDefault()
      go(options()[at])
    } else if (event.key === 'Escape' && isOpen()) {
      event.preventDefault()
      forget()
      setOpen(false)
    }
  })
  input.addEventListener('blur', () => {
    forget()
    setOpen(false)
  })
  // The field keeps the focus while one is chosen by mouse.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    go(target instanceof Element ? (target.closest('[role=option]') ?? undefined) : undefined)
  })
}
