import type { Child, JSX } from 'hono/jsx'
import { useWords } from '../reader.ts'
import { SheetPage } from '../sheet-page.tsx'

interface SignInPageProps {
  /** The path to go on to. */
  readonly to: string
  readonly name?: string
  readonly isWrong?: boolean
}

/** Shows the sign-in of the demo. */
export function SignInPage({ to, name = '', isWrong = false }: SignInPageProps) {
  const { signIn } = useWords().say.people
  return (
    <SignInSheet title={signIn.title} text={signIn.demo} action="/sign-in">
      <input type="hidden" name="to" value={to} />
      <SignInField
        id="sign-in-name"
        label={signIn.name}
        error={isWrong ? signIn.wrong : undefined}
        input={{ name: 'name', value: name, autocomplete: 'nickname', maxlength: 100, dir: 'auto' }}
      />
    </SignInSheet>
  )
}

/** Shows where the admin's token is asked for. */
export function ModeratorSignInPage({ isWrong = false }: { isWrong?: boolean }) {
  const { moderation } = useWords().say.people
  return (
    <SignInSheet title={moderation.title} text={moderation.signIn} action="/moderation/sign-in">
      <SignInField
        id="moderation-token"
        label={moderation.token}
        error={isWrong ? moderation.wrong : undefined}
        input={{ name: 'token', type: 'password', autocomplete: 'current-password' }}
      />
    </SignInSheet>
  )
}

interface SignInSheetProps {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly children: Child
}

function SignInSheet({ title, text, action, children }: SignInSheetProps) {
  const { signIn } = useWords().say.people
  return (
    <SheetPage title={title} description={text}>
      <section class="sheet write people-form" aria-labelledby="sign-in-title">
        <h1 class="write-heading" id="sign-in-title">
          {title}
        </h1>
        <p class="people-text">{text}</p>
        <form class="write-form" action={action} method="post">
          {children}
          <button class="button" type="submit">
            {signIn.title}
          </button>
        </form>
      </section>
    </SheetPage>
  )
}

interface SignInFieldProps {
  readonly id: string
  readonly label: string
  readonly error: string | undefined
  readonly input: JSX.IntrinsicElements['input']
}

function SignInField({ id, label, error, input }: SignInFieldProps) {
  const told = error === undefined ? {} : { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-error` }
  return (
    <div class="field-group">
      <label class="field-name" for={id}>
        {label}
      </label>
      <input class="field" id={id} {...input} required autofocus {...told} />
      {error === undefined ? null : (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}
