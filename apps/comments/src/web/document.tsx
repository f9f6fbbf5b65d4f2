import type { Child } from 'hono/jsx'
import { ASSETS } from './assets.ts'
import { Icon, IconSprite } from './icons.tsx'
import { Account } from './people/account.tsx'
import { PhotoViewer } from './photos/photo-viewer.tsx'
import { useReader, useWords } from './reader.ts'
import { ProductSearch } from './search/product-search.tsx'
import { SPOKEN_LANGUAGES, spokenIn } from './words.ts'

export interface DocumentProps {
  readonly title: string
  readonly description: string
  /** The address that search engines should keep. */
  readonly canonical?: string | undefined
  readonly previous?: string | undefined
  readonly next?: string | undefined
  /** The id in the search field of the header. */
  readonly productId?: string | undefined
  /** Whether the header has a search; the front page has its own. */
  readonly searchable?: boolean
  /** Whether search engines must leave it out, as they must a refused page. */
  readonly hidden?: boolean
  readonly children: Child
}

/** Shows a whole page: head, header, main, footer. The script swaps only `main`. */
export function Document(props: DocumentProps) {
  const { words, publicUrl, plansFirst } = useReader()
  const { say } = words
  return (
    <html lang={words.locale} dir={say.direction}>
      <head>
        <meta charset="utf-8" />
        <title>{props.title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content={props.description} />
        <meta name="color-scheme" content="light dark" />
        {props.hidden ? <meta name="robots" content="noindex" /> : null}
        {props.canonical === undefined ? null : <link rel="canonical" href={(publicUrl ?? '') + props.canonical} />}
        {props.previous === undefined ? null : <link rel="prev" href={props.previous} />}
        {props.next === undefined ? null : <link rel="next" href={props.next} />}
        <meta property="og:site_name" content="Lapidary" />
        <meta property="og:type" content="website" />
        <meta property="og:title" content={props.title} />
        <meta property="og:description" content={props.description} />
        {props.canonical === undefined || publicUrl === undefined ? null : (
          <meta property="og:url" content={publicUrl + props.canonical} />
        )}
        {publicUrl === undefined ? null : <meta property="og:image" content={publicUrl + ASSETS.path('card.png')} />}
        <link rel="icon" type="image/svg+xml" href={ASSETS.path('gem.svg')} />
        <link rel="stylesheet" href={ASSETS.path('style.css')} />
        <script type="module" src={ASSETS.path('enhance.js')} fetchpriority="low" />
      </head>
      <body>
        <a class="skip-link" href="#main">
          {say.site.skip}
        </a>
        <IconSprite />
        <header class="site-header">
          <div class="wide site-header-row">
            <a class="brand" href="/">
              <Icon name="gem" size={32} />
              <span class="brand-name">Lapidary</span>
              <span class="brand-what">{say.site.what}</span>
            </a>
            {props.searchable === false ? null : (
              <ProductSearch id="header-product" productId={props.productId} compact />
            )}
            <Account />
          </div>
        </header>
        <main id="main" tabindex={-1}>
          {props.children}
        </main>
        <p
          id="announcer"
          class="visually-hidden"
          role="status"
          aria-live="polite"
          data-counts-updated={say.site.countsUpdated}
        />
        <PhotoViewer />
        <footer class="site-footer">
          <div class="wide site-footer-row">
            <p>
              {say.site.footer} <a href="/docs">{say.site.api}</a>
            </p>
            <button class="plans-switch" type="button" id="plans-switch" aria-pressed={plansFirst} hidden>
              {say.site.plansFirst}
            </button>
            <LanguageSwitch />
          </div>
          <p class="notice" id="offline" popover="manual">
            {say.site.offline}
          </p>
        </footer>
      </body>
    </html>
  )
}

/** Shows a form that chooses the language of the pages; each language has its name in itself. */
function LanguageSwitch() {
  const { locale, say } = useWords()
  const current = spokenIn(locale)
  return (
    <form class="languages" action="/language" method="post" aria-label={say.site.languages}>
      <Icon name="globe" size={20} />
      {SPOKEN_LANGUAGES.map(({ tag, name }) =>
        tag === current ? (
          <b lang={tag} aria-current="true">
            {name}
          </b>
        ) : (
          <button type="submit" name="language" value={tag} lang={tag}>
            {name}
          </button>
        ),
      )}
    </form>
  )
}
