/**
 * Why an answer from derived data is not known: nothing of its declaration was made (`absent`), it is being made (`filling`), a process that
 * could not keep it has counted past it (`abandoned`), or no process has ever followed the change stream (`uncounted`).
 */
export type UnknownReason = 'absent' | 'filling' | 'abandoned' | 'uncounted'
