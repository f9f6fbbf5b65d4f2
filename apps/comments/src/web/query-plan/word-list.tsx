import { useWords } from '../reader.ts'

/** The words of the panel for a reader who has never seen a query plan. */
export function WordList() {
  const { plan } = useWords().say
  return (
    <details class="words">
      <summary>{plan.wordsTitle}</summary>
      <dl>
        {plan.words.map(([word, meaning]) => (
          <div>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
