import { useWords } from '../reader.ts'
import { SheetPage } from '../sheet-page.tsx'

interface MailLinkPageProps {
  /** The name of the person; undefined where the link is no good. */
  readonly name: string | undefined
  readonly token: string
}

/** Shows to whom a link in a mail belongs, with the button that signs them in. */
export function MailLinkPage({ name, token }: MailLinkPageProps) {
  const { isolate, say } = useWords()
  const { mailLink, write } = say.people
  const text = name === undefined ? mailLink.over : write.as(isolate(name))
  return (
    <SheetPage title={mailLink.title} description={mailLink.title}>
      <section class="sheet write people-form" aria-labelledby="mail-link-title">
        <h1 class="write-heading" id="mail-link-title">
          {mailLink.title}
        </h1>
        <p class="people-text">{text}</p>
        {name === undefined ? null : (
          <form class="write-form" action="/from-mail" method="post">
            <input type="hidden" name="token" value={token} />
            <button class="button" type="submit">
              {mailLink.go}
            </button>
          </form>
        )}
      </section>
    </SheetPage>
  )
}
