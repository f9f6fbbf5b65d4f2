const WORDS = [
  [
    'RCU',
    'Read capacity unit, what DynamoDB charges for reading. Half a unit reads up to 4 KB of a list; each list read costs at least that.',
  ],
  ['Round', 'Requests sent together. A page that needs one round takes as long as its slowest request.'],
  ['List', 'The comments under one key of an index, already sorted: product 42, English, 5 stars.'],
  ['Merge', 'Several sorted lists become one by always taking the newest comment at hand.'],
  [
    'Discarded',
    'Read but not shown: read in advance to be sure of the order, or refused by a filter. It was paid for.',
  ],
  ['Expected', 'What the planner thought before it ran anything; it chose the plan by this.'],
] as const

/** The words of the panel for somebody who has never seen a query plan. */
export function WordList() {
  return (
    <details class="words">
      <summary>What do these words mean?</summary>
      <dl>
        {WORDS.map(([word, meaning]) => (
          <div>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
