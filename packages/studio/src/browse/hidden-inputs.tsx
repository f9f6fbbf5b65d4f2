import type { JSX } from 'hono/jsx/jsx-runtime'
import { edited, type Parameters } from './address.ts'

/** Carries the parameters of the address through a form that sets some of them. */
export function HiddenInputs({
  parameters,
  without,
}: {
  parameters: Parameters
  without: readonly string[]
}): JSX.Element {
  const kept = edited(parameters, Object.fromEntries(without.map((name) => [name, null])))
  return (
    <>
      {[...kept].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  )
}
