/** The version of Redis whose answers these are. */
export const REDIS_VERSION = '7.2.0'
