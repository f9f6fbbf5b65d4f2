// @ts-check

const TOKEN = 'lapidary-token'

/**
 * Keeps the token of the comment form for this tab, forgets one that was refused, and counts what is typed.
 *
 * @param {ParentNode} root
 */
export function startPosting(root) {
  const form = root.querySelector('#write-form')
  if (!(form instanceof HTMLFormElement) || form.dataset.started === 'true') return
  form.dataset.started = 'true'
  for (const counter of form.querySelectorAll('[data-counter]')) startCounter(counter)
  const field = form.querySelector('#write-token')
  if (!(field instanceof HTMLInputElement)) return
  if (form.dataset.tokenRefused === 'true') sessionStorage.removeItem(TOKEN)
  else field.value = sessionStorage.getItem(TOKEN) ?? ''
  form.addEventListener('submit', () => sessionStorage.setItem(TOKEN, field.value))
}

/** @param {Element} counter */
function startCounter(counter) {
  const field = document.getElementById(counter.getAttribute('data-counter') ?? '')
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  const numbers = new Intl.NumberFormat(`${document.documentElement.lang}-u-nu-latn`)
  const told = counter.textContent
  const typed = counter.getAttribute('data-typed') ?? '{typed}'
  field.addEventListener('input', () => {
    const { length } = field.value
    counter.textContent =
      length === 0
        ? told
        : typed.replace('{typed}', numbers.format(length)).replace('{most}', numbers.format(field.maxLength))
  })
}
