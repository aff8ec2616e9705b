import { autocompletion, type CompletionContext } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import {
  Compartment,
  EditorState,
  type Extension,
  type Range,
  StateField,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { getNonce } from 'get-nonce';
import { useEffect, useRef } from 'react';
import { jsonMistake } from './json-mistake.ts';
import { offeredFor, openNameAt } from './template-names.ts';
import { ToldTexts } from './told-texts.ts';

/** An editor of JSON. It is large, so only a form that shows it loads this module. */

export interface CodeEditorProps {
  value: string;
  onChange: (text: string) => void;
  /** Id of the element that names it. */
  labelledBy: string;
  /** Ids of those that describe it. */
  describedBy: string;
  isInvalid: boolean;
  /** Whether it offers the names of templates. */
  withNames: boolean;
}

export function CodeEditor({
  value,
  onChange,
  labelledBy,
  describedBy,
  isInvalid,
  withNames,
}: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changing = useRef(new Compartment());
  const told = useRef(new ToldTexts(value));
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  useEffect(() => {
    const editor = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          FIXED,
          changing.current.of([]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            const text = state.doc.toString();
            if (docChanged && told.current.typed(text)) latest.current.onChange(text);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const attributes = EditorView.contentAttributes.of({
      'aria-labelledby': labelledBy,
      'aria-describedby': describedBy,
      'aria-invalid': String(isInvalid),
    });
    const effects = changing.current.reconfigure([attributes, withNames ? NAMES : []]);
    view.current?.dispatch({ effects });
  }, [labelledBy, describedBy, isInvalid, withNames]);
  useEffect(() => {
    // A paste, a merge or a fresh start may have brought another text.
    if (!told.current.came(value)) return;
    const { doc } = view.current!.state;
    view.current!.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value]);
  return <div ref={host} className="code-editor" data-invalid={isInvalid || undefined} />;
}

/** A quiet look: colour is for mistakes. */
const LOOK = HighlightStyle.define([
  { tag: tags.propertyName, fontWeight: '600' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--muted)' },
]);

/** The sentence of a mistake below its line. The form tells it to screen readers. */
class MistakeLine extends WidgetType {
  private readonly sentence: string;

  constructor(sentence: string) {
    super();
    this.sentence = sentence;
  }

  override eq(other: MistakeLine): boolean {
    return other.sentence === this.sentence;
  }

  toDOM(): HTMLElement {
    const line = document.createElement('div');
    line.className = 'cm-mistake-text';
    line.setAttribute('aria-hidden', 'true');
    line.textContent = this.sentence;
    return line;
  }
}

const mistakes = StateField.define<DecorationSet>({
  create: markedMistake,
  update: (marks, { docChanged, state }) => (docChanged ? markedMistake(state) : marks),
  provide: field => EditorView.decorations.from(field),
});

function markedMistake({ doc }: EditorState): DecorationSet {
  const found = jsonMistake(doc.toString());
  if (found === null) return Decoration.none;
  const line = doc.lineAt(found.at);
  const to = Math.min(found.at + 1, line.to);
  const marks: Range<Decoration>[] = [
    Decoration.line({ class: 'cm-mistake-line' }).range(line.from),
    Decoration.widget({ widget: new MistakeLine(found.sentence), block: true, side: 1 }).range(
      line.to,
    ),
  ];
  if (to > found.at) marks.push(Decoration.mark({ class: 'cm-mistake' }).range(found.at, to));
  return Decoration.set(marks, true);
}

const NAMES: Extension = autocompletion({ override: [offeredNames], icons: false });

function offeredNames({ state, pos }: CompletionContext) {
  const line = state.doc.lineAt(pos);
  const open = openNameAt(line.text, pos - line.from);
  if (open === null) return null;
  return {
    from: line.from + open.from,
    filter: false,
    options: offeredFor(open).map(({ name, means }) => ({
      label: name,
      detail: means,
      apply: (editor: EditorView, _: unknown, from: number, to: number) => {
        const rest = editor.state.doc.lineAt(to).text.slice(to - line.from);
        const closed = /^[\w.]*\s*\}\}/.exec(rest)?.[0].length ?? 0;
        const insert = `${name}}}`;
        editor.dispatch({
          changes: { from, to: to + closed, insert },
          selection: { anchor: from + insert.length },
        });
      },
    })),
  };
}

/** In ms: longer than anybody takes from Escape to Tab. Any other key ends it sooner. */
const TAB_LEAVES_MS = 600_000;

const leaveByTab = (editor: EditorView) => {
  editor.setTabFocusMode(TAB_LEAVES_MS);
  return true;
};

/** If Chromium types over coloured text, it copies the colour into a style attribute, which the policy forbids. */
const typeOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, editor) {
    const { state } = editor;
    if (inputType !== 'insertText' || data === null || isComposing) return false;
    if (state.selection.main.empty) return false;
    editor.dispatch(state.replaceSelection(data), {
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    return true;
  },
});

const FIXED: Extension = [
  // Only this separates lines, so that a carriage return stays in the text.
  EditorState.lineSeparator.of('\n'),
  EditorView.cspNonce.of(getNonce() ?? ''),
  lineNumbers(),
  highlightSpecialChars(),
  history(),
  json(),
  bracketMatching(),
  syntaxHighlighting(LOOK),
  EditorView.lineWrapping,
  mistakes,
  typeOver,
  keymap.of([
    { key: 'Escape', run: leaveByTab },
    ...historyKeymap,
    ...defaultKeymap.filter(({ key }) => key !== 'Escape'),
    indentWithTab,
  ]),
  EditorView.theme({
    '&': { backgroundColor: 'var(--card)', color: 'inherit', fontSize: '13px' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': {
      fontFamily: 'var(--mantine-font-family-monospace)',
      lineHeight: '1.55',
      minHeight: '5.5rem',
      maxHeight: '24rem',
    },
    '.cm-content': { caretColor: 'var(--mantine-color-text)', padding: '6px 0' },
    '.cm-gutters': {
      backgroundColor: 'var(--ground)',
      color: 'var(--muted)',
      borderRight: '1px solid var(--line)',
    },
    '.cm-specialChar': { color: 'var(--muted)' },
    '.cm-mistake': { textDecoration: 'underline wavy var(--bad)' },
    '.cm-mistake-text': {
      padding: '0 6px',
      color: 'var(--bad)',
      fontFamily: 'var(--mantine-font-family)',
    },
    '.cm-tooltip': {
      backgroundColor: 'var(--card)',
      color: 'var(--mantine-color-text)',
      border: '1px solid var(--line)',
    },
    '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      backgroundColor: 'var(--shade)',
      color: 'var(--mantine-color-text)',
    },
    '.cm-tooltip.cm-tooltip-autocomplete > ul': {
      fontFamily: 'var(--mantine-font-family-monospace)',
    },
    '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--shade)' },
  }),
];
