import type { Identity } from '../people/person.ts'

/**
 * How the functions know the people of the shop: undefined = not at all, so that machines alone write. Put one of the ways of docs/identity.md
 * here; the bundler takes what it imports. A sign-in by a name alone is for demos, and never runs here.
 */
export const identity: Identity | undefined = undefined
