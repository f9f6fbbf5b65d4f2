import config from 'config-of-the-table'
import { streamHandler } from './stream-handler.ts'

/** The function `stream` of a stack. */
export const handler: ReturnType<typeof streamHandler> = streamHandler(config)
