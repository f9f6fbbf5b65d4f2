import { useWords } from '../reader.ts'

/** Explains the words of the panel to a reader who has never seen a query plan. */
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
