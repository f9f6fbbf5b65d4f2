// @ts-check

/** The server reads this cookie and puts plans before lists; it holds nothing else. */
const PLANS_FIRST = 'plans=first; path=/; samesite=lax; max-age='
const A_YEAR = 365 * 24 * 3600

/** Shows the switch at the foot of the page that puts plans first. */
export function startPlansSwitch() {
  const button = document.querySelector('#plans-switch')
  if (!(button instanceof HTMLButtonElement)) return
  button.hidden = false
  button.addEventListener('click', () => {
    const isOn = button.getAttribute('aria-pressed') === 'true'
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = PLANS_FIRST + (isOn ? 0 : A_YEAR)
    location.reload()
  })
}

/**
 * Shows the buttons that copy the plan, and its requests as commands.
 *
 * @param {ParentNode} root
 */
export function startPlan(root) {
  if (navigator.clipboard === undefined) return
  for (const button of root.querySelectorAll('.plan-copy')) if (button instanceof HTMLButtonElement) startCopy(button)
}

/**
 * Copies the text that stands beside a button.
 *
 * @param {HTMLButtonElement} button
 */
function startCopy(button) {
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    const announcer = document.querySelector('#announcer')
    try {
      await navigator.clipboard.writeText(button.parentElement?.querySelector('pre')?.textContent ?? '')
      button.textContent = button.dataset.copied ?? label
    } catch {
      button.textContent = button.dataset.refused ?? label
    }
    if (announcer !== null) announcer.textContent = button.textContent
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}
