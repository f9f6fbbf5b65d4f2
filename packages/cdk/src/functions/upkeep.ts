import config from 'config-of-the-table'
import { upkeepHandler } from './upkeep-handler.ts'

/** The function `upkeep` of a stack. */
export const handler: ReturnType<typeof upkeepHandler> = upkeepHandler(config)
