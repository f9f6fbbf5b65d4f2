import type { FormErrors, FormField } from './posted-comment.ts'

/** Shows what is wrong with a field, below it. */
export function FieldError({ name, errors }: { readonly name: FormField; readonly errors: FormErrors }) {
  if (errors[name] === undefined) return null
  return (
    <p class="field-error" id={`write-${name}-error`}>
      {errors[name]}
    </p>
  )
}

/** Ties a field to what is wrong with it. */
export function describedBy(name: FormField, errors: FormErrors) {
  return errors[name] === undefined
    ? {}
    : { 'aria-invalid': 'true' as const, 'aria-describedby': `write-${name}-error` }
}
