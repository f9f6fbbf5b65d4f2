import config from 'lapidary-config'
import { upkeepHandler } from './upkeep-handler.ts'

/** The function `upkeep` of a stack. */
export const handler: ReturnType<typeof upkeepHandler> = upkeepHandler(config)
