// @ts-check
// Everything works without this script. It makes filters apply at once, keeps counts true, keeps the
// token for this tab, and copies plans.
import { startCounts } from './counts.js'
import { startFilters } from './filters.js'
import { startPlan } from './plan.js'
import { startPosting } from './post.js'

document.documentElement.classList.add('enhanced')
startFilters((main) => {
  startPlan(main)
  startPosting(main)
})
startPlan(document)
startPosting(document)
startCounts()
