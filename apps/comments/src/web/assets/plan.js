// @ts-check

/**
 * Shows the button that copies the plan.
 *
 * @param {ParentNode} root
 */
export function startPlan(root) {
  const button = root.querySelector('#plan-copy')
  const json = root.querySelector('#plan-json')
  if (!(button instanceof HTMLButtonElement) || json === null || navigator.clipboard === undefined) return
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    const announcer = document.querySelector('#announcer')
    try {
      await navigator.clipboard.writeText(json.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Copying was refused'
    }
    if (announcer !== null) announcer.textContent = button.textContent
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}
