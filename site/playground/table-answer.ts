import type { Collection, TableDefinition } from 'lapidary'
import {
  cdkCode,
  cloudFormationTemplate,
  createTableInput,
  terraformConfiguration,
  workbenchModel,
} from 'lapidary/schema'
import type { TableFormat } from './question.ts'

/** Writes the definition of a table in each format of `lapidary table`. */
export function tableAnswer(
  definition: TableDefinition,
  collections: Readonly<Record<string, Collection>>,
): Readonly<Record<TableFormat, string>> {
  const config = { collections }
  const json = (document: () => unknown): string => written(() => JSON.stringify(document(), null, 2))
  return {
    'create-table': json(() => createTableInput(definition)),
    cloudformation: json(() => cloudFormationTemplate(definition, config)),
    cdk: written(() => cdkCode(definition)),
    terraform: json(() => terraformConfiguration(definition, config)),
    workbench: json(() => workbenchModel(definition, Object.values(collections))),
  }
}

/** Some tables can't be written in each format; the reason stands in its place. */
function written(text: () => string): string {
  try {
    return text()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
