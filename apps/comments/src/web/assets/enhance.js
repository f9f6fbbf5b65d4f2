// @ts-check
// Everything works without this script. It makes filters apply at once, keeps counts true, tells times in the reader's
// zone, keeps the token for this tab, counts characters, shows photos, and copies plans.
import { startCounts } from './counts.js'
import { startFilters } from './filters.js'
import { startPhotoField, startPhotos } from './photos.js'
import { startPlan, startPlansSwitch } from './plan.js'
import { startPosting } from './post.js'
import { startReading, startReadMore } from './reading.js'
import { startSearch } from './search.js'
import { startTrend } from './trend.js'
import { startVotes } from './votes.js'

document.documentElement.classList.add('enhanced')
showLanguage()
/** @param {ParentNode} root */
function start(root) {
  startReading(root)
  startPlan(root)
  startPosting(root)
  startPhotoField(root)
}
startFilters(start)
start(document)
startPlansSwitch()
startReadMore()
startSearch()
startCounts(startReading)
startVotes()
startTrend(startReading)
startPhotos()

/** Brings the language of the board into sight, where its links are a strip that is wider than the screen. */
function showLanguage() {
  const current = document.querySelector('.board-language[aria-current]')
  const strip = current?.closest('.board-languages')
  if (!(current instanceof HTMLElement) || strip === null || strip === undefined) return
  const { left, right } = strip.getBoundingClientRect()
  const shown = current.getBoundingClientRect()
  strip.scrollLeft += (shown.left + shown.right - left - right) / 2
}
