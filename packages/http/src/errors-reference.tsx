import type { Child } from 'hono/jsx'
import { PROBLEM_CODES } from './problem-codes.ts'
import { Ticked } from './ticked.tsx'

/** Shows the meaning and the remedy of each error code, under the address that the error itself names. */
export function ErrorsReference({ base = '' }: { readonly base?: string }): Child {
  return (
    <div class="wide api">
      <h1>Errors of the HTTP API</h1>
      <p>
        Each error is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> stays the same from
        version to version, and its <code>type</code> leads here. <a href={`${base}/docs`}>All requests</a> are on a
        page of their own.
      </p>
      <div class="error-codes">
        {Object.entries(PROBLEM_CODES).map(([code, { status, title, advice }]) => (
          <section class="sheet api-part error-code" id={code} aria-labelledby={`${code}-title`}>
            <h2 id={`${code}-title`}>
              <a href={`#${code}`}>
                <code>{code}</code>
              </a>{' '}
              <span class="api-facts">{status}</span>
            </h2>
            <p>
              <b>{title}.</b> <Ticked text={advice} />
            </p>
          </section>
        ))}
      </div>
    </div>
  )
}
