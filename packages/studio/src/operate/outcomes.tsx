import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Backfill, ItemProblem, Mending, Verification } from 'lapidary'
import { visible } from '../browse/value.tsx'
import type { StudioFinding } from '../studio-options.ts'
import { count, number } from '../web/words.ts'

/** Differences that are shown; the count says how many there are. */
const MOST_SHOWN = 50

/** Shows what was verified, and what was mended of it. */
export function VerificationOutcome({ found }: { found: Verification | Mending }): JSX.Element {
  const { items, targets, differenceCount, differences, capacity, pending, gaps, deadLetters, notVerified } = found
  const mended = 'mended' in found ? found : undefined
  const shown = differences.slice(0, MOST_SHOWN)
  return (
    <>
      <p>
        <b>{differenceCount === 0 ? 'No differences' : count(differenceCount, 'difference')}</b>
        {`: ${count(items, 'item')}, ${count(targets, 'derived item')}, ${count(Math.round(capacity), 'capacity unit')}.`}
        {mended === undefined ? null : ` ${count(mended.mended, 'derived item')} mended.`}
      </p>
      <ul>
        {mended !== undefined && mended.deadLettersForgotten > 0 ? (
          <li>{`${count(mended.deadLettersForgotten, 'dead letter')} made good.`}</li>
        ) : null}
        {mended !== undefined && mended.gapsCleared > 0 ? (
          <li>{`${count(mended.gapsCleared, 'gap')} of the stream made up for.`}</li>
        ) : null}
        {pending > 0 ? (
          <li>{`${count(pending, 'change')} in the stream not counted yet; that is no difference.`}</li>
        ) : null}
        {gaps.length > 0 ? <li>The stream has lost records; repair makes up for them.</li> : null}
        {deadLetters > 0 ? <li>{`${count(deadLetters, 'dead letter')}; repair makes them good.`}</li> : null}
        {notVerified.map(({ projection, collection, reason, message }) => (
          <li>{`${projection} of ${collection} was not verified: ${message ?? reason}`}</li>
        ))}
      </ul>
      <Problems title="can’t be counted" items={found.uncountable} some={found.uncountableItems} />
      <Problems
        title="can’t be read, so lists leave them out"
        items={found.unreadable ?? 0}
        some={found.unreadableItems ?? []}
      />
      {shown.length === 0 ? null : (
        <section class="tree-frame" tabindex={0} aria-label="Differences">
          <table class="board">
            <thead>
              <tr>
                <th scope="col">Of</th>
                <th scope="col">Where</th>
                <th scope="col">What</th>
                <th scope="col" class="number">
                  should be
                </th>
                <th scope="col" class="number">
                  is
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ projection, target, name, expected, actual }) => (
                <tr>
                  <td>{projection}</td>
                  <td>
                    <code>{visible(`${target.PK} ${target.SK}`)}</code>
                  </td>
                  <td>
                    <code>{visible(name)}</code>
                  </td>
                  <td class="number">{String(expected ?? 'nothing')}</td>
                  <td class="number">{String(actual ?? 'nothing')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {differenceCount > shown.length ? <p class="hint">{`The first ${number(shown.length)} are shown.`}</p> : null}
    </>
  )
}

function Problems({
  title,
  items,
  some,
}: {
  title: string
  items: number
  some: readonly ItemProblem[]
}): JSX.Element | null {
  if (items === 0) return null
  return (
    <>
      <p>{`${count(items, 'item')} ${title}:`}</p>
      <ul>
        {some.map(({ key, reason }) => (
          <li>
            <code>{visible(key.PK)}</code> {reason}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Shows what a backfill did to each collection. */
export function BackfillOutcome({ done }: { done: Backfill }): JSX.Element {
  return (
    <>
      <p>
        <b>{done.complete ? 'Every index can be used.' : 'Some indexes are not complete.'}</b>{' '}
        {count(Math.round(done.capacity), 'capacity unit')}.
      </p>
      <ul>
        {done.collections.map(({ collection, items, written, indexes, unfitItems }) => (
          <>
            <li>
              {`${collection}: ${count(items, 'item')} read, ${number(written)} written; `}
              {indexes
                .map(({ name, state }) => `${name} is ${state === 'ready' ? 'complete' : 'not complete'}`)
                .join(', ')}
            </li>
            {unfitItems.map(({ PK, index, problem }) => (
              <li>
                <code>{visible(PK)}</code> {`does not fit in ${index}: ${problem}`}
              </li>
            ))}
          </>
        ))}
      </ul>
    </>
  )
}

/** Shows the findings of the doctor, what is wrong first. */
export function FindingsOutcome({ findings }: { findings: readonly StudioFinding[] }): JSX.Element {
  const wrong = findings.filter(({ ok }) => !ok)
  return (
    <>
      <p>
        <b>{wrong.length === 0 ? 'All is well.' : `${count(wrong.length, 'thing')} to do.`}</b>
      </p>
      <ul class="findings">
        {[...wrong, ...findings.filter(({ ok }) => ok)].map(({ check, ok, message, remedy }) => (
          <li class={ok ? 'finding' : 'finding finding-bad'}>
            <b>{check}</b> {message}
            {remedy === undefined ? null : <p>{`Do: ${remedy}`}</p>}
          </li>
        ))}
      </ul>
    </>
  )
}
