// Asks the registry for known weaknesses of the packages that production runs. A registry that can't answer is reported, and is no failure.
import { spawnSync } from 'node:child_process'
import { scriptArguments } from './script-arguments.mjs'

scriptArguments('audit', 'usage: npm run audit')

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' })
const report = parsed(stdout)
if (report?.metadata?.vulnerabilities === undefined) {
  const reason = report?.message ?? report?.error?.summary ?? stderr.trim().split('\n')[0] ?? ''
  console.log(
    `audit: the registry does not answer (${String(reason).replace(/https?:\/\/\S+/g, 'its address')}); nothing was looked at`,
  )
  process.exit(0)
}
const { total, high, critical } = report.metadata.vulnerabilities
for (const { name, severity, range, fixAvailable } of Object.values(report.vulnerabilities)) {
  const mended = fixAvailable ? 'there is a version without it' : 'there is none without it yet'
  console.log(`audit: ${name} ${range}: ${severity}; ${mended}`)
}
console.log(`audit: ${total} known weaknesses, ${high + critical} of them high or critical`)
process.exit(high + critical > 0 ? 1 : 0)

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
