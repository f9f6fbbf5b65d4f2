import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { provisioned } from '../../../test/engines/provisioned.ts'

/** Judges of others, which look at templates: each returns what it finds, as `RULE at RESOURCE`. */
export interface Judges {
  cfnLint(...files: readonly string[]): Promise<readonly string[]>
  checkov(...files: readonly string[]): Promise<readonly string[]>
}

/** The CDK says of a role twice that a function needs it first, which changes nothing. */
const IGNORED_OF_CFN_LINT = ['W3005']

export const judges: Judges = {
  async cfnLint(...files) {
    const options = ['--format', 'json', '--ignore-checks', ...IGNORED_OF_CFN_LINT, '--template', ...files]
    const output = await run(provisioned('cfn-lint', 'bin', 'cfn-lint'), options, files)
    const found = JSON.parse(output || '[]') as readonly CfnLintFinding[]
    return found.map(({ Rule, Location }) => `${Rule.Id} at ${Location.Path.slice(1, 2).join('')}`)
  },
  async checkov(...files) {
    const options = [
      '--file',
      ...files,
      '--framework',
      'cloudformation',
      'terraform_json',
      '--output',
      'json',
      '--skip-download',
    ]
    const { results } = JSON.parse(await run(provisioned('checkov', 'bin', 'checkov'), options, files)) as CheckovReport
    if (results.parsing_errors.length > 0) throw new Error(`checkov can't read ${results.parsing_errors.join(', ')}`)
    if (results.passed_checks.length === 0) throw new Error(`checkov has looked at nothing in ${files.join(', ')}`)
    return results.failed_checks.map(({ check_id, resource }) => `${check_id} at ${resource.replace(/^[^.]*\./, '')}`)
  },
}

interface CfnLintFinding {
  readonly Rule: { readonly Id: string }
  readonly Location: { readonly Path: readonly (string | number)[] }
}

interface CheckovReport {
  readonly results: {
    readonly passed_checks: readonly unknown[]
    readonly parsing_errors: readonly string[]
    readonly failed_checks: readonly { readonly check_id: string; readonly resource: string }[]
  }
}

/** Runs a program that tells of findings by its exit code; returns what it prints. */
async function run(program: string, options: readonly string[], [file = '']: readonly string[]): Promise<string> {
  // What they keep for the next time goes with the templates.
  const env = { ...process.env, LOG_LEVEL: 'CRITICAL', TMPDIR: dirname(file) }
  return promisify(execFile)(program, [...options], { maxBuffer: 1e8, env }).then(
    ({ stdout }) => stdout,
    (error: Error & { readonly stdout?: string; readonly code?: unknown }) => {
      if (typeof error.code === 'number' && error.stdout !== '') return error.stdout ?? ''
      throw new Error(`${program}: ${error.message}; node scripts/provision.mjs provides it`)
    },
  )
}
