/**
 * The reason why an answer from derived data is unknown: the data of its declaration was never made (`absent`), it is being made (`filling`), a
 * process that could not keep it has counted past it (`abandoned`), the change stream has lost changes that no repair has made up for (`gap`),
 * or no process has ever counted the change stream to its end (`uncounted`).
 */
export type UnknownReason = 'absent' | 'filling' | 'abandoned' | 'gap' | 'uncounted'
