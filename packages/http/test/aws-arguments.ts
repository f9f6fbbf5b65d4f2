import { execFileSync } from 'node:child_process'

/** A request as a command of the AWS CLI sends it. */
export interface CommandRequest {
  /** `Query` */
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Options of the CLI itself. */
  readonly others: Readonly<Record<string, string>>
}

const OF_THE_CLI = ['paginate', 'endpoint-url']

/** Has a shell read a command, and reads its arguments as the AWS CLI does. */
export function requestOf(command: string): CommandRequest {
  const program = `aws() { printf '%s\\0' "$@"; }\n${command}\n`
  const [service, name, ...args] = execFileSync('sh', ['-c', program], { encoding: 'utf8' }).split('\0').slice(0, -1)
  if (service !== 'dynamodb' || name === undefined) throw new Error(`is no command of DynamoDB: ${command}`)
  const input: Record<string, unknown> = {}
  const others: Record<string, string> = {}
  for (let i = 0; i < args.length; i++) {
    const option = /^--(no-)?([a-z-]+)(?:=(.*))?$/s.exec(args[i] ?? '')
    if (option === null) throw new Error(`${args[i]} is no option, in ${command}`)
    const [, no, field = '', joined] = option
    const next = joined ?? args[i + 1]
    const isFlag = joined === undefined && (next === undefined || next.startsWith('-'))
    if (!isFlag && joined === undefined) i += 1
    if (OF_THE_CLI.includes(field)) others[field] = isFlag ? String(no === undefined) : (next ?? '')
    else input[pascal(field)] = isFlag ? no === undefined : parsed(field, next ?? '')
  }
  return { name: pascal(name), input, others }
}

function pascal(option: string): string {
  return option.replace(/(?:^|-)[a-z]/g, (part) => part.replace('-', '').toUpperCase())
}

/** Options that take text, as they are named in the reference of the CLI; others take a number or JSON. */
const TEXTS = /name$|expression$|^select$|^return-consumed-capacity$/

function parsed(option: string, text: string): unknown {
  return TEXTS.test(option) ? text : JSON.parse(text)
}
