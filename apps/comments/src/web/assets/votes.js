// @ts-check

/**
 * Sends votes without another page. The form does it by itself where the script does not run, and where the server does not take the vote as it
 * is: then its page says why.
 */
export function startVotes() {
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.dataset.vote === undefined) return
    event.preventDefault()
    void sendVote(form)
  })
}

/** @param {HTMLFormElement} form */
async function sendVote(form) {
  const button = form.querySelector('button')
  if (button === null || form.dataset.sending === 'true') return
  form.dataset.sending = 'true'
  const isBack = button.getAttribute('aria-pressed') === 'true'
  showVote(form, button, !isBack)
  const taken = await fetch(form.dataset.vote ?? '', { method: isBack ? 'DELETE' : 'PUT' }).then(
    ({ status }) => status === 204,
    () => undefined,
  )
  delete form.dataset.sending
  if (taken === true) return
  showVote(form, button, isBack)
  // Without a connection nothing is known, and the button says so by staying as it was.
  if (taken === false) form.submit()
}

/**
 * Shows a vote before the server has it, so that the button answers at once.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 * @param {boolean} isCast
 */
function showVote(form, button, isCast) {
  const helpful = Math.max(0, Number(button.dataset.helpful) + (isCast ? 1 : -1))
  button.dataset.helpful = String(helpful)
  button.setAttribute('aria-pressed', String(isCast))
  const kind = form.querySelector('input[name="vote"]')
  if (kind instanceof HTMLInputElement) kind.value = isCast ? 'back' : 'helpful'
  const count = button.querySelector('.vote-count')
  const numbers = new Intl.NumberFormat(`${document.documentElement.lang}-u-nu-latn`)
  if (count !== null) count.textContent = helpful === 0 ? '' : numbers.format(helpful)
}
