import type { JSX } from 'hono/jsx/jsx-runtime'
import { storedForms } from 'lapidary/codecs'
import { itemPath, listPath } from '../browse/address.ts'
import { visible } from '../browse/value.tsx'
import type { OpenCollection } from '../studio-options.ts'
import { type Problem, ProblemNotice } from '../web/problem.tsx'
import { number } from '../web/words.ts'
import { EntryLists } from './entry-lists.tsx'
import { jsonText, lackingIn } from './json-text.ts'
import type { EntriesOfItem } from './lists-of-item.ts'
import type { FoundItem } from './read-item.ts'

export interface ItemPageProps extends OpenCollection {
  readonly name: string
  readonly found: FoundItem
  readonly entries: EntriesOfItem | undefined
  /** A text that was sent and refused. */
  readonly typed?: string | undefined
  readonly problem?: Problem | undefined
  /** What was done just now. */
  readonly done?: string | undefined
}

/** Shows an item: its JSON to edit, the lists that it is in, and what is stored of it. */
export function ItemPage({ name, collection, found, entries, typed, problem, done }: ItemPageProps): JSX.Element {
  const { id, item, stored, digest, isExpired } = found
  const scope = item?.[collection.scope.attribute]
  const forms = storedForms(collection, stored)
  const bytes = forms.reduce((sum, form) => sum + form.bytes, 0)
  const attributeOf = new Map(
    Object.entries(collection.attributes ?? {}).map(([attribute, each]) => [each.name, attribute]),
  )
  return (
    <div class="item">
      <nav class="crumbs" aria-label="Where this is">
        <a href={listPath(name, new URLSearchParams())}>{name}</a>
        {typeof scope === 'string' ? (
          <a href={listPath(name, new URLSearchParams({ scope }))}>
            <bdi>{visible(scope)}</bdi>
          </a>
        ) : null}
      </nav>
      <h1>
        <bdi>{visible(id)}</bdi>
      </h1>
      {done === undefined ? null : (
        <p class="notice notice-good" role="status">
          {done}
        </p>
      )}
      {problem === undefined ? null : <ProblemNotice problem={problem} title="Nothing was changed." />}
      {isExpired ? <p class="notice">Its time is over: lists hide it, and DynamoDB will remove it.</p> : null}
      {found.problem === undefined ? null : (
        <p class="notice notice-bad">
          Lists leave this item out: {found.problem}. What is stored is below, with all its digits.
        </p>
      )}
      <div class="item-columns">
        <section class="card" aria-labelledby="json">
          <h2 id="json">Item</h2>
          {item === undefined ? null : (
            <>
              <form method="post" action={itemPath(name, id)} class="item-form">
                <input type="hidden" name="seen" value={digest} />
                <label class="visually-hidden" for="item-json">
                  The item as JSON
                </label>
                <textarea
                  id="item-json"
                  name="item"
                  class="field code"
                  dir="ltr"
                  spellcheck={false}
                  rows={Math.min(30, jsonText(item, 2).split('\n').length + 1)}
                  aria-invalid={problem === undefined ? undefined : 'true'}
                  aria-describedby={problem === undefined ? undefined : 'problem'}
                >
                  {`\n${typed ?? jsonText(item, 2)}`}
                </textarea>
                <Lacking item={item} />
                <div class="actions">
                  <button class="button" type="submit">
                    Save
                  </button>
                  <a class="button button-danger" href={itemPath(name, id, 'delete')}>
                    Delete…
                  </a>
                </div>
              </form>
              <p class="hint">
                Only what you change is written, and only if the item is still as it is shown here
                {collection.version === undefined ? '' : ` (version ${String(item[collection.version] ?? '–')})`}.
              </p>
            </>
          )}
          {item === undefined ? (
            <div class="actions">
              <a class="button button-danger" href={itemPath(name, id, 'delete')}>
                Delete…
              </a>
            </div>
          ) : null}
        </section>
        <div class="item-side">
          {entries === undefined ? null : <EntryLists entries={entries} />}
          <section class="card" aria-labelledby="stored">
            <h2 id="stored">{`Stored in ${number(bytes)} bytes`}</h2>
            <table class="board board-dense">
              <thead>
                <tr>
                  <th scope="col">Stored as</th>
                  <th scope="col">What</th>
                  <th scope="col" class="number">
                    Bytes
                  </th>
                </tr>
              </thead>
              <tbody>
                {forms.map((form) => (
                  <tr>
                    <th scope="row">
                      <code>{visible(form.name)}</code>
                    </th>
                    <td>
                      {[attributeOf.get(form.name), form.form === 'plain' ? undefined : form.form]
                        .filter((part) => part !== undefined)
                        .join(', ') || form.form}
                    </td>
                    <td class="number">{number(form.bytes)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <details id="stored-json" open={item === undefined ? true : undefined}>
              <summary>The entry as DynamoDB has it</summary>
              <section class="code-frame" tabindex={0} aria-label="The entry as DynamoDB has it">
                <pre dir="ltr">{jsonText(stored, 1)}</pre>
              </section>
            </details>
          </section>
        </div>
      </div>
    </div>
  )
}

/** Says which attributes JSON can't write as they are, and how they are written. */
function Lacking({ item }: { item: Readonly<Record<string, unknown>> }): JSX.Element | null {
  const lacking = Object.entries(item).flatMap(([name, value]) => {
    const how = lackingIn(value)
    return how === undefined ? [] : [{ name, how }]
  })
  if (lacking.length === 0) return null
  return (
    <ul class="hint">
      {lacking.map(({ name, how }) => (
        <li>
          <code>{name}</code> is {how}.
        </li>
      ))}
    </ul>
  )
}
