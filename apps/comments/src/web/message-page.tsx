import type { InputIssue } from 'lapidary'
import { Document } from './document.tsx'

export interface MessagePageProps {
  readonly title: string
  readonly text: string
  readonly issues?: readonly InputIssue[]
  /** Issues beyond those. */
  readonly issuesOmitted?: number
  readonly links: readonly { readonly href: string; readonly text: string }[]
  readonly productId?: string | undefined
}

/** A page that could not be shown: what was wrong, and where to go from here. */
export function MessagePage({ title, text, issues = [], issuesOmitted = 0, links, productId }: MessagePageProps) {
  return (
    <Document title={`${title} – Lapidary`} description={text} productId={productId} hidden>
      <div class="wide message">
        <h1>{title}</h1>
        <p>{text}</p>
        {issues.length === 0 ? null : (
          <ul class="message-issues">
            {issues.map(({ path, message }) => (
              <li>
                <code>{path}</code> {message}
              </li>
            ))}
            {issuesOmitted === 0 ? null : <li>and {issuesOmitted} more</li>}
          </ul>
        )}
        <p class="message-links">
          {links.map((link) => (
            <a class="button" href={link.href}>
              {link.text}
            </a>
          ))}
        </p>
      </div>
    </Document>
  )
}
