import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Advice } from 'lapidary-adviser'
import { count, decimal, money, number } from '../web/words.ts'

/** Shows the layouts by price, the reasons for the choice, and the declaration of its indexes. */
export function AdviceOutcome({ advice }: { advice: Advice }): JSX.Element {
  const { choice, layouts, refused, reason, search, prices } = advice
  return (
    <>
      <p>
        <b>{choice.name}</b>: {money(choice.price.onDemand)} a month.
      </p>
      <ul>
        {reason.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
      <section class="tree-frame" tabindex={0} aria-label="Layouts by price">
        <table class="board">
          <thead>
            <tr>
              <th scope="col">Layout</th>
              {['units a write', 'units a page', 'writes', 'reads', 'storage', 'a month', 'hottest'].map((head) => (
                <th scope="col" class="number">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {layouts.map(({ name, unitsPerWrite, unitsPerRead, price, hottest }) => (
              <tr class={name === choice.name ? 'chosen' : undefined}>
                <th scope="row">{name}</th>
                <td class="number">{decimal(unitsPerWrite)}</td>
                <td class="number">{decimal(unitsPerRead)}</td>
                <td class="number">{money(price.writes)}</td>
                <td class="number">{money(price.reads)}</td>
                <td class="number">{money(price.storage)}</td>
                <td class="number">
                  <b>{money(price.onDemand)}</b>
                </td>
                <td class="number">{`${decimal(100 * hottest.share)} %`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {refused.length === 0 ? null : (
        <ul class="hint">
          {refused.map(({ name, reason: why }) => (
            <li>{`${name}: refused, ${why}`}</li>
          ))}
        </ul>
      )}
      {choice.indexes === undefined ? null : (
        <>
          <h3>Declare it</h3>
          <section class="code-frame" tabindex={0} aria-label="The declaration of the indexes">
            <pre>{`indexes: ${JSON.stringify(choice.indexes, null, 2)}`}</pre>
          </section>
        </>
      )}
      <p class="hint">
        {`${count(search.indexes, 'index', 'indexes')} in all their sets, ${number(search.priced)} of them priced${search.proven ? '' : '; the search ended early, lapidary advise --seconds gives it longer'}. ${prices.region}, prices of ${prices.date}.`}
      </p>
    </>
  )
}
