/** The time that a test waits for something: shorter than the limit of a test, so that it can say what did not come. */
export const PATIENCE: { readonly timeout: number; readonly interval: number } = { timeout: 240_000, interval: 20 }
