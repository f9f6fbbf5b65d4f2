import config from 'config-of-the-table'
import { apiHandler } from './api-handler.ts'

/** The function `api` of a stack. */
export const handler: ReturnType<typeof apiHandler> = apiHandler(config)
