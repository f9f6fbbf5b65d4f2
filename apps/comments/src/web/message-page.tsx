import type { InputIssue } from 'lapidary'
import { Document } from './document.tsx'
import { Icon } from './icons.tsx'
import { useWords } from './reader.ts'
import { ProductSearch } from './search/product-search.tsx'

export interface MessageIssue extends InputIssue {
  /** Whether the message is in the language of the page; else it is in English. */
  readonly isTranslated?: boolean
}

export interface MessagePageProps {
  readonly status: number
  readonly title: string
  readonly text: string
  readonly issues?: readonly MessageIssue[]
  /** The number of further issues. */
  readonly issuesOmitted?: number
  /** The links; the first is the one that most people want. */
  readonly links: readonly { readonly href: string; readonly text: string }[]
  readonly productId?: string | undefined
}

/** Shows what was wrong with a page, and where to go from here. Where no product is known, the reader can search for one. */
export function MessagePage(props: MessagePageProps) {
  const { status, title, text, issues = [], issuesOmitted = 0, links, productId } = props
  const { number, say } = useWords()
  return (
    <Document
      title={`${title} – Lapidary`}
      description={text}
      productId={productId}
      searchable={productId !== undefined}
      hidden
    >
      <div class="hero message">
        <div class="wide message-inner">
          <p class="message-sign" aria-hidden="true">
            <Icon name="gem" size={96} />
            <span>{status}</span>
          </p>
          <div>
            <h1>{title}</h1>
            <p>{text}</p>
            {issues.length === 0 ? null : (
              <ul class="message-issues">
                {issues.map(({ path, message, isTranslated = false }) => (
                  <li lang={isTranslated ? undefined : 'en'} dir={isTranslated ? undefined : 'ltr'}>
                    <code>{path}</code> {message}
                  </li>
                ))}
                {issuesOmitted === 0 ? null : <li>{say.problem.more(number(issuesOmitted))}</li>}
              </ul>
            )}
            <p class="message-links">
              {links.map((link, i) => (
                <a class={i === 0 ? 'button' : 'button button-quiet'} href={link.href}>
                  {link.text}
                </a>
              ))}
            </p>
            {productId === undefined ? <ProductSearch id="product" /> : null}
          </div>
        </div>
      </div>
    </Document>
  )
}
