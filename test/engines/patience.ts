/** How long a test waits for what has to come: short of the limit of a test, so that it can say what did not come. */
export const PATIENCE: { readonly timeout: number; readonly interval: number } = { timeout: 240_000, interval: 20 }
