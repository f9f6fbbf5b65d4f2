import type { Child } from 'hono/jsx'
import { assetPath } from './assets.ts'
import { Icon, IconSprite } from './icons.tsx'
import { useReader } from './reader.ts'

export interface DocumentProps {
  readonly title: string
  readonly description: string
  /** The address that search engines should keep. */
  readonly canonical?: string | undefined
  readonly previous?: string | undefined
  readonly next?: string | undefined
  /** Shown in the search field of the header. */
  readonly productId?: string | undefined
  /** The front page has a search of its own. */
  readonly searchable?: boolean
  /** Refused pages are not for search engines. */
  readonly hidden?: boolean
  readonly children: Child
}

/** A whole page: head, header, main, footer. The script swaps only `main`. */
export function Document(props: DocumentProps) {
  const { words, origin, plansFirst } = useReader()
  return (
    <html lang={words.locale}>
      <head>
        <meta charset="utf-8" />
        <title>{props.title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content={props.description} />
        <meta name="color-scheme" content="light dark" />
        {props.hidden ? <meta name="robots" content="noindex" /> : null}
        {props.canonical === undefined ? null : <link rel="canonical" href={props.canonical} />}
        {props.previous === undefined ? null : <link rel="prev" href={props.previous} />}
        {props.next === undefined ? null : <link rel="next" href={props.next} />}
        <meta property="og:site_name" content="Lapidary" />
        <meta property="og:type" content="website" />
        <meta property="og:title" content={props.title} />
        <meta property="og:description" content={props.description} />
        {props.canonical === undefined ? null : <meta property="og:url" content={origin + props.canonical} />}
        <link rel="icon" type="image/svg+xml" href={assetPath('gem.svg')} />
        <link rel="stylesheet" href={assetPath('style.css')} />
        <script type="module" src={assetPath('enhance.js')} />
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to the content
        </a>
        <IconSprite />
        <header class="site-header">
          <div class="wide site-header-row">
            <a class="brand" href="/">
              <Icon name="gem" size={32} />
              <span class="brand-name">Lapidary</span>
              <span class="brand-what">product comments</span>
            </a>
            {props.searchable === false ? null : (
              <ProductSearch id="header-product" productId={props.productId} compact />
            )}
          </div>
        </header>
        <main id="main" tabindex={-1}>
          {props.children}
        </main>
        <p id="announcer" class="visually-hidden" role="status" aria-live="polite" />
        <footer class="site-footer">
          <div class="wide site-footer-row">
            <p>
              Every list on these pages is read from DynamoDB by key, and says what it cost.{' '}
              <a href="/docs">HTTP API</a>
            </p>
            <button class="plans-switch" type="button" id="plans-switch" aria-pressed={plansFirst} hidden>
              Query plans first
            </button>
          </div>
        </footer>
      </body>
    </html>
  )
}

interface ProductSearchProps {
  readonly id: string
  readonly productId?: string | undefined
  readonly compact?: boolean
}

/** Goes to a product by its id; there is no table of products to search in. */
export function ProductSearch({ id, productId, compact = false }: ProductSearchProps) {
  return (
    <search>
      <form class={compact ? 'search search-compact' : 'search'} action="/" method="get">
        <label class={compact ? 'visually-hidden' : 'search-label'} for={id}>
          Product id
        </label>
        <div class="search-row">
          <input
            class="field"
            id={id}
            name="product"
            value={productId ?? ''}
            placeholder={compact ? 'Product id' : 'For example 42'}
            maxlength={128}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
          />
          <button class={compact ? 'button button-quiet' : 'button'} type="submit">
            {compact ? 'Go' : 'Show comments'}
          </button>
        </div>
      </form>
    </search>
  )
}
