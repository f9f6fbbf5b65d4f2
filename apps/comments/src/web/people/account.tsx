import { useReader } from '../reader.ts'

/** Shows who is signed in, or where to sign in; nothing where people are not known. */
export function Account() {
  const { visitor, words } = useReader()
  if (visitor === undefined) return null
  const { account } = words.say.people
  const { name, isModerator, signInAt, canSignOut } = visitor
  return (
    <nav class="account" aria-label={account.label}>
      {isModerator ? <a href="/moderation">{account.moderation}</a> : null}
      {name === undefined ? null : (
        <span class="account-name" dir="auto" title={name}>
          {name}
        </span>
      )}
      {name === undefined && signInAt !== undefined ? (
        <a href={signInAt} rel="nofollow">
          {account.signIn}
        </a>
      ) : null}
      {canSignOut ? (
        <form action="/sign-out" method="post">
          <button class="link-button" type="submit">
            {account.signOut}
          </button>
        </form>
      ) : null}
    </nav>
  )
}
