import { isDeepStrictEqual } from 'node:util'
import type { RotatedSecret } from './rotated-secret.ts'

/** Secrets by the names that a program has for them. */
export type RotatedSecrets = Readonly<Record<string, RotatedSecret>>

/** The values of secrets that are good, by name; the first of each signs. */
export type SecretValues<S extends RotatedSecrets> = { readonly [K in keyof S]: readonly string[] }

/**
 * Makes something of secrets, and makes it anew when one of them has another value.
 *
 * @example
 * ```ts
 * const secrets = { admin: rotatedSecret({ secretId: 'orders/admin-token' }) }
 * const open = withRotatedSecrets(secrets, ({ admin }) => lapidaryRoutes(lapidary, { authorize: byTokens({ admin }) }))
 * export const handler = lambdaHandler(open)
 * ```
 */
export function withRotatedSecrets<const S extends RotatedSecrets, T>(
  secrets: S,
  make: (values: SecretValues<S>) => T,
): () => Promise<T> {
  let made: { readonly of: SecretValues<S>; readonly value: T } | undefined
  return async () => {
    const entries = Object.entries(secrets).map(async ([name, secret]) => [name, await secret.values()] as const)
    const of = Object.fromEntries(await Promise.all(entries)) as SecretValues<S>
    if (made === undefined || !isDeepStrictEqual(made.of, of)) made = { of, value: make(of) }
    return made.value
  }
}
