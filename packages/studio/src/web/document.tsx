import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { listPath } from '../browse/address.ts'
import { ASSETS } from './assets.ts'

/** What every page shows around its own part. */
export interface Frame {
  /** Names of all collections. */
  readonly names: readonly string[]
  /** Where the database is, in words. */
  readonly place: string
  /** The title of the job that is running. */
  readonly running: string | undefined
}

export interface DocumentProps {
  readonly frame: Frame
  readonly title: string
  /** The collection that the page is of. */
  readonly name?: string | undefined
  /** Which of the parts of the studio the page belongs to. */
  readonly part?: 'browse' | 'adviser' | 'operate'
  /** Asks for the page again after this many seconds, where no script does. */
  readonly refresh?: number | undefined
  readonly children: Child
}

/** Shows a whole page: head, header, main. */
export function Document({ frame, title, name, part, refresh, children }: DocumentProps): JSX.Element {
  const current = (is: boolean) => (is ? 'page' : undefined)
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · Lapidary studio`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        {refresh === undefined ? null : (
          <noscript>
            <meta http-equiv="refresh" content={String(refresh)} />
          </noscript>
        )}
        <link rel="icon" type="image/svg+xml" href={ASSETS.path('gem.svg')} />
        <link rel="stylesheet" href={ASSETS.path('studio.css')} />
        <script type="module" src={ASSETS.path('studio.js')} />
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to the content
        </a>
        <header class="head">
          <a class="brand" href="/" aria-label="Lapidary studio">
            <img src={ASSETS.path('gem.svg')} alt="" width="22" height="22" />
            <b>Studio</b>
          </a>
          <nav class="tabs" aria-label="Collections">
            {frame.names.map((each) => (
              <a
                href={listPath(each, new URLSearchParams())}
                aria-current={current(each === name && part === 'browse')}
              >
                {each}
              </a>
            ))}
          </nav>
          <nav class="tabs tabs-tools" aria-label="Tools">
            {(name ?? frame.names[0]) === undefined ? null : (
              <a
                href={`/c/${encodeURIComponent(name ?? frame.names[0] ?? '')}/adviser`}
                aria-current={current(part === 'adviser')}
              >
                Adviser
              </a>
            )}
            <a href="/operate" aria-current={current(part === 'operate')}>
              Operate
              {frame.running === undefined ? null : (
                <span class="running" title={`${frame.running} is running`}>
                  {' '}
                  <span class="visually-hidden">{`(${frame.running} is running)`}</span>
                </span>
              )}
            </a>
          </nav>
          <p class="place" title={frame.place}>
            {frame.place}
          </p>
        </header>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <p id="announcer" class="visually-hidden" role="status" aria-live="polite" />
      </body>
    </html>
  )
}
