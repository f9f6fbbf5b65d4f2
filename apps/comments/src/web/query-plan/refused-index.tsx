import type { Refusal } from 'lapidary'
import { useWords } from '../reader.ts'

/** Shows why an index can't answer, in the reader's language. */
export function RefusedIndex({ index, refusal }: { index: string; refusal: Refusal }) {
  return (
    <>
      <code>{index}</code> <Why refusal={refusal} />
    </>
  )
}

function Why({ refusal }: { refusal: Refusal }) {
  const { number, list, say } = useWords()
  const { refusals } = say.plan
  switch (refusal.kind) {
    case 'sparse':
      return <>{refusals.sparse(refusal.facet, list(refusal.values.map(String)))}</>
    case 'scope':
      return <>{refusals.scope[refusal.lists]}</>
    case 'values':
      return <>{refusals.values[refusal.asked](refusal.facet)}</>
    case 'key':
      return <>{refusals.key[refusal.without](refusal.facet)}</>
    case 'assembled':
      return <>{refusals.assembled(refusal.collection)}</>
    case 'sources':
      return <>{refusals.sources(number(refusal.needed), number(refusal.most))}</>
    case 'absent':
    case 'filling':
    case 'duplicates':
    case 'redeclared':
      return <>{refusals[refusal.kind]}</>
    case 'differs':
      return <>{refusals.differs(refusal.what, refusal.actual)}</>
    case 'other':
      return <span lang="en">{refusal.text}</span>
  }
}
