import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'

/** Marks the line that a problem is in; undefined for none. */
const markLine = StateEffect.define<number | undefined>()

const markedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const effect = transaction.effects.find((each) => each.is(markLine))
    if (effect === undefined) return marks.map(transaction.changes)
    const { doc } = transaction.state
    const line = effect.value as number | undefined
    if (line === undefined || line > doc.lines) return Decoration.none
    return Decoration.set([Decoration.line({ class: 'cm-problem' }).range(doc.line(line).from)])
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** A text that a person edits as code. */
export interface CodeEditor {
  text(): string
  setText(text: string): void
  mark(line: number | undefined): void
  destroy(): void
}

/** @param described Ids of elements that say more of the text. Tab leaves the editor, as it leaves any field. */
export function createEditor(
  parent: HTMLElement,
  {
    label,
    described,
    text,
    wraps,
    onChange,
  }: {
    readonly label: string
    readonly described: string
    readonly text: string
    /** Whether long lines go on below. */
    readonly wraps: boolean
    readonly onChange: (text: string) => void
  },
): CodeEditor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...[lineNumbers(), history(), indentOnInput(), indentUnit.of('  '), bracketMatching(), highlightActiveLine()],
        ...[javascript({ typescript: true }), syntaxHighlighting(classHighlighter), markedLine],
        wraps ? EditorView.lineWrapping : [],
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-describedby': described,
          spellcheck: 'false',
          tabindex: '0',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString())
        }),
      ],
    }),
  })
  return {
    text: () => view.state.doc.toString(),
    setText(next) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    mark: (line) => view.dispatch({ effects: markLine.of(line) }),
    destroy: () => view.destroy(),
  }
}
