// @ts-check

/** Pixels of the longer side of a photo that is sent: more than the server keeps. */
const SENT_SIDE = 2000
const MOST_SENT = 4
/** Pixels of a preview's side. */
const PREVIEW_SIDE = 192

/** Shows photos over the page, one after the other; without the script each is a page of its own. */
export function startPhotos() {
  const viewer = document.querySelector('#photo-viewer')
  if (!(viewer instanceof HTMLDialogElement)) return
  /** @type {readonly HTMLAnchorElement[]} */
  let links = []
  let at = 0
  /** @param {number} to */
  const show = (to) => {
    at = (to + links.length) % links.length
    showPhoto(viewer, links[at], links.length)
  }
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const link = event.target instanceof Element ? event.target.closest('a.photo') : null
    if (!(link instanceof HTMLAnchorElement)) return
    event.preventDefault()
    links = [...(link.closest('.photos')?.querySelectorAll('a.photo') ?? [])].filter(
      (each) => each instanceof HTMLAnchorElement,
    )
    show(links.indexOf(link))
    viewer.showModal()
  })
  viewer.addEventListener('click', ({ target }) => {
    const step = target instanceof Element ? target.closest('button')?.dataset.step : undefined
    if (step !== undefined) show(at + Number(step))
    // A click beside the photo closes it.
    else if (target === viewer || (target instanceof Element && target.closest('button') !== null)) viewer.close()
  })
  viewer.addEventListener('keydown', ({ key }) => {
    const steps = document.dir === 'rtl' ? { ArrowLeft: 1, ArrowRight: -1 } : { ArrowLeft: -1, ArrowRight: 1 }
    if (key in steps) show(at + steps[/** @type {keyof typeof steps} */ (key)])
  })
}

/**
 * @param {HTMLDialogElement} viewer
 * @param {HTMLAnchorElement | undefined} link
 * @param {number} count
 */
function showPhoto(viewer, link, count) {
  const photo = viewer.querySelector('img')
  const comment = viewer.querySelector('a')
  if (link === undefined || photo === null || comment === null) return
  photo.src = link.href
  photo.alt = link.querySelector('img')?.alt ?? ''
  comment.hidden = link.dataset.comment === undefined
  comment.href = link.dataset.comment ?? ''
  for (const button of viewer.querySelectorAll('button')) {
    if (button.dataset.step !== undefined) button.hidden = count < 2
  }
}

/**
 * Makes photos small before they are sent, and shows which were chosen.
 *
 * @param {ParentNode} root
 */
export function startPhotoField(root) {
  const field = root.querySelector('#write-photos')
  if (!(field instanceof HTMLInputElement) || field.dataset.started === 'true') return
  field.dataset.started = 'true'
  field.addEventListener('change', () => void shrinkPhotos(field))
}

/** @param {HTMLInputElement} field */
async function shrinkPhotos(field) {
  const chosen = [...(field.files ?? [])]
  // The server says that these are too many.
  if (chosen.length > MOST_SENT) return
  const photos = await Promise.all(chosen.map(smallerPhoto))
  const current = [...(field.files ?? [])]
  // Others were chosen meanwhile.
  if (current.length !== chosen.length || current.some((file, i) => file !== chosen[i])) return
  const sent = new DataTransfer()
  photos.forEach(({ file }) => void sent.items.add(file))
  field.files = sent.files
  const previews = field.parentElement?.querySelector('.photo-previews')
  if (!(previews instanceof HTMLElement)) return
  previews.replaceChildren(
    ...photos.flatMap(({ preview }) => {
      if (preview === undefined) return []
      const item = document.createElement('li')
      const image = document.createElement('img')
      Object.assign(image, { src: preview, alt: '', width: 96, height: 96 })
      item.append(image)
      return [item]
    }),
  )
  previews.hidden = previews.childElementCount === 0
}

/**
 * @param {File} file
 * @returns {Promise<{ file: File, preview?: string }>} The file as it is, where the browser can't read it: the server says what is wrong.
 */
async function smallerPhoto(file) {
  try {
    const image = await createImageBitmap(file)
    const { width, height } = image
    const scale = Math.min(1, SENT_SIDE / Math.max(width, height))
    const whole = drawnPhoto(image, [0, 0, width, height], Math.round(width * scale), Math.round(height * scale))
    const side = Math.min(width, height)
    const middle = [(width - side) / 2, (height - side) / 2, side, side]
    const preview = drawnPhoto(image, middle, PREVIEW_SIDE, PREVIEW_SIDE).toDataURL('image/jpeg', 0.8)
    const blob = await new Promise((resolve) => whole.toBlob(resolve, 'image/jpeg', 0.9))
    const isSmaller = blob instanceof Blob && blob.size < file.size
    return { file: isSmaller ? new File([blob], 'photo.jpg', { type: 'image/jpeg' }) : file, preview }
  } catch {
    return { file }
  }
}

/**
 * @param {ImageBitmap} image
 * @param {number[]} from
 * @param {number} width
 * @param {number} height
 */
function drawnPhoto(image, [x = 0, y = 0, w = 0, h = 0], width, height) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const paper = canvas.getContext('2d')
  // A JPEG would show black where a picture is clear.
  if (paper !== null) paper.fillStyle = '#fff'
  paper?.fillRect(0, 0, width, height)
  paper?.drawImage(image, x, y, w, h, 0, 0, width, height)
  return canvas
}
