// @ts-check

const TOKEN = 'lapidary-token'

/**
 * Keeps the token of the comment form for this tab, and forgets one that was refused.
 *
 * @param {ParentNode} root
 */
export function startPosting(root) {
  const form = root.querySelector('#write-form')
  if (!(form instanceof HTMLFormElement) || form.dataset.started === 'true') return
  form.dataset.started = 'true'
  const field = form.querySelector('#write-token')
  if (!(field instanceof HTMLInputElement)) return
  if (form.dataset.tokenRefused === 'true') sessionStorage.removeItem(TOKEN)
  else field.value = sessionStorage.getItem(TOKEN) ?? ''
  form.addEventListener('submit', () => sessionStorage.setItem(TOKEN, field.value))
}
