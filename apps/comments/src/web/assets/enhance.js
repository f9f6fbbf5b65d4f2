// @ts-check
// Everything works without this script. It makes filters apply at once, keeps counts true, tells times in the reader's
// zone, keeps the token for this tab, counts characters, and copies plans.
import { startCounts } from './counts.js'
import { startFilters } from './filters.js'
import { startPlan, startPlansSwitch } from './plan.js'
import { startPosting } from './post.js'
import { startReading, startReadMore } from './reading.js'

document.documentElement.classList.add('enhanced')
/** @param {ParentNode} root */
function start(root) {
  startReading(root)
  startPlan(root)
  startPosting(root)
}
startFilters(start)
start(document)
startPlansSwitch()
startReadMore()
startCounts(startReading)
