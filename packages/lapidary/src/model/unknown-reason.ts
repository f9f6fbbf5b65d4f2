/**
 * Why an answer from derived data is not known: nothing of its declaration was made (`absent`), it is being made (`filling`), a process that
 * could not keep it has counted past it (`abandoned`), the change stream has lost changes and no repair has made up for them (`gap`), or no process has ever counted the change stream to its end (`uncounted`).
 */
export type UnknownReason = 'absent' | 'filling' | 'abandoned' | 'gap' | 'uncounted'
