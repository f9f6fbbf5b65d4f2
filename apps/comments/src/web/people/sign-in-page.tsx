import { useWords } from '../reader.ts'
import { PeoplePage } from './people-page.tsx'

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
    <PeoplePage title={signIn.title} description={signIn.demo}>
      <section class="sheet write people-form" aria-labelledby="sign-in-title">
        <h1 class="write-heading" id="sign-in-title">
          {signIn.title}
        </h1>
        <p class="people-text">{signIn.demo}</p>
        <form class="write-form" action="/sign-in" method="post">
          <input type="hidden" name="to" value={to} />
          <div class="field-group">
            <label class="field-name" for="sign-in-name">
              {signIn.name}
            </label>
            <input
              class="field"
              id="sign-in-name"
              name="name"
              value={name}
              autocomplete="nickname"
              maxlength={100}
              dir="auto"
              required
              autofocus
              {...(isWrong ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'sign-in-error' } : {})}
            />
            {isWrong ? (
              <p class="field-error" id="sign-in-error">
                {signIn.wrong}
              </p>
            ) : null}
          </div>
          <button class="button" type="submit">
            {signIn.title}
          </button>
        </form>
      </section>
    </PeoplePage>
  )
}

/** Shows where the admin's token is asked for. */
export function ModeratorSignInPage({ isWrong = false }: { isWrong?: boolean }) {
  const { moderation, signIn } = useWords().say.people
  return (
    <PeoplePage title={moderation.title} description={moderation.signIn}>
      <section class="sheet write people-form" aria-labelledby="moderation-title">
        <h1 class="write-heading" id="moderation-title">
          {moderation.title}
        </h1>
        <p class="people-text">{moderation.signIn}</p>
        <form class="write-form" action="/moderation/sign-in" method="post">
          <div class="field-group">
            <label class="field-name" for="moderation-token">
              {moderation.token}
            </label>
            <input
              class="field"
              id="moderation-token"
              name="token"
              type="password"
              autocomplete="current-password"
              required
              autofocus
              {...(isWrong ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'moderation-error' } : {})}
            />
            {isWrong ? (
              <p class="field-error" id="moderation-error">
                {moderation.wrong}
              </p>
            ) : null}
          </div>
          <button class="button" type="submit">
            {signIn.title}
          </button>
        </form>
      </section>
    </PeoplePage>
  )
}
