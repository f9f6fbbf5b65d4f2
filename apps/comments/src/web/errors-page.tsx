import { Document } from './document.tsx'
import { Ticked } from './ticked.tsx'

export interface ErrorsPageProps {
  readonly codes: Readonly<Record<string, { readonly status: number; readonly title: string; readonly advice: string }>>
}

/** Shows the meaning and the remedy of each error code, under the address that the error itself names. */
export function ErrorsPage({ codes }: ErrorsPageProps) {
  return (
    <Document
      title="Product comments: errors – Lapidary"
      description="What each code of an error means and what to do about it."
      canonical="/docs/errors"
    >
      <div class="wide api">
        <h1>Errors of the HTTP API</h1>
        <p>
          Each error is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> stays the same from
          version to version, and its <code>type</code> leads here. <a href="/docs">All requests</a> are on a page of
          their own.
        </p>
        <div class="error-codes">
          {Object.entries(codes).map(([code, { status, title, advice }]) => (
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
    </Document>
  )
}
