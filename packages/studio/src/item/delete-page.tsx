import type { JSX } from 'hono/jsx/jsx-runtime'
import { itemPath, listPath } from '../browse/address.ts'
import { visible } from '../browse/value.tsx'
import { type Problem, ProblemNotice } from '../web/problem.tsx'
import { jsonText } from './json-text.ts'
import type { FoundItem } from './read-item.ts'

export interface DeletePageProps {
  readonly name: string
  readonly found: FoundItem
  readonly problem?: Problem | undefined
}

/** Asks before an item is deleted, and shows what goes. */
export function DeletePage({ name, found, problem }: DeletePageProps): JSX.Element {
  const { id, item, stored, digest } = found
  return (
    <div class="item">
      <nav class="crumbs" aria-label="Where this is">
        <a href={listPath(name, new URLSearchParams())}>{name}</a>
        <a href={itemPath(name, id)}>
          <bdi>{visible(id)}</bdi>
        </a>
      </nav>
      <h1>
        Delete <bdi>{visible(id)}</bdi>?
      </h1>
      {problem === undefined ? null : <ProblemNotice problem={problem} title="Nothing was deleted." />}
      <section class="card">
        <p>It can’t be brought back. It is deleted only if it is still as it is shown here.</p>
        <section class="code-frame" tabindex={0} aria-label="The item as JSON">
          <pre dir="ltr">{jsonText(item ?? stored, 2)}</pre>
        </section>
        <form method="post" action={itemPath(name, id, 'delete')} class="actions">
          <input type="hidden" name="seen" value={digest} />
          <button class="button button-danger-full" type="submit">
            Delete
          </button>
          <a class="button button-quiet" href={itemPath(name, id)}>
            Keep it
          </a>
        </form>
      </section>
    </div>
  )
}
