import { type Command, Option } from 'commander'
import {
  cdkCode,
  cloudFormationTemplate,
  createTableInput,
  terraformConfiguration,
  workbenchModel,
} from 'lapidary/schema'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { loadDeclared } from '../session.ts'

interface TableFlags extends CommonOptions {
  readonly format: 'cloudformation' | 'terraform' | 'cdk' | 'workbench' | 'create-table'
}

/** `lapidary table --format cloudformation`. */
export const tableCommand: CliCommand = {
  register(program, run) {
    program
      .command('table')
      .description("the table's definition")
      .addOption(
        new Option('--format <format>', 'for whom')
          .choices(['cloudformation', 'terraform', 'cdk', 'workbench', 'create-table'])
          .default('create-table'),
      )
      .action((_flags: unknown, command: Command) => runTable(optionsOf(command), run))
  },
}

async function runTable({ format, ...flags }: TableFlags, { terminal }: CommandRun): Promise<void> {
  const { config, definition } = await loadDeclared(flags)
  if (format === 'cdk') {
    const code = cdkCode(definition)
    await terminal.write(flags.json === true ? `${JSON.stringify({ format, code })}\n` : code)
    return
  }
  const document = {
    cloudformation: () => cloudFormationTemplate(definition, config),
    terraform: () => terraformConfiguration(definition, config),
    workbench: () => workbenchModel(definition, Object.values(config.collections)),
    'create-table': () => createTableInput(definition),
  }[format]()
  await terminal.write(`${flags.json === true ? JSON.stringify(document) : JSON.stringify(document, null, 2)}\n`)
}
