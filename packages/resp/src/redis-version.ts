/** The version of Redis that the server answers as. */
export const REDIS_VERSION = '7.2.0'
