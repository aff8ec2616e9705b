import { Input, Text, Textarea, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ComponentType, useEffect, useId, useRef, useState } from 'react';
import type { CodeEditorProps } from './code-editor.tsx';
import { jsonMistake } from './json-mistake.ts';
import { NameOffers } from './name-offers.tsx';

const LABEL = 'Raw body';
const ABOUT = 'Sent as it is, as JSON where it is JSON, for POST, PUT, PATCH and OPTIONS.';

/** A screen reader is told of a mistake when nobody has typed for so long. */
const TYPED_MS = 1_000;

/** A raw body: in an editor of JSON, and in a plain field until that has come. */
export function BodyField({
  value,
  onChange,
  error,
  withNames,
}: {
  value: string;
  onChange: (text: string) => void;
  error: string | undefined;
  /** Whether names of templates are offered. */
  withNames: boolean;
}) {
  const { Editor, hasFailed, box, onBlur } = useEditor();
  const id = useId();
  const mistake = jsonMistake(value);
  const sentence = mistake && `Line ${mistake.line}: ${mistake.sentence} So the body is no JSON.`;
  const [told] = useDebouncedValue(sentence, TYPED_MS);
  return (
    <div ref={box}>
      {Editor === null ? (
        <NameOffers isOn={withNames} value={value} onChange={onChange}>
          {props => (
            <Textarea
              label={LABEL}
              description={ABOUT}
              autosize
              minRows={3}
              maxRows={16}
              spellCheck={false}
              error={error}
              {...props}
              onBlur={() => {
                props.onBlur();
                onBlur();
              }}
              styles={{
                input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 },
              }}
            />
          )}
        </NameOffers>
      ) : (
        <Input.Wrapper
          id={id}
          label={LABEL}
          labelElement="div"
          labelProps={{ id: `${id}-name` }}
          description={`${ABOUT} Tab indents. Escape and then Tab leaves the editor.`}
          error={error}
        >
          <Editor
            value={value}
            onChange={onChange}
            labelledBy={`${id}-name`}
            describedBy={`${id}-description ${id}-error ${id}-mistake`}
            isInvalid={error !== undefined}
            withNames={withNames}
          />
        </Input.Wrapper>
      )}
      <Text id={`${id}-mistake`} size="sm" mt={4} aria-hidden className="wrap" c="var(--bad)">
        {sentence}
      </Text>
      <VisuallyHidden role="status">{told}</VisuallyHidden>
      {hasFailed && (
        <Text size="sm" mt={4} className="muted">
          The editor could not be loaded. This field works without it.
        </Text>
      )}
    </div>
  );
}

/** The editor as soon as it is loaded. It never takes the place of a field in which somebody types. */
function useEditor() {
  const [loaded, setLoaded] = useState<ComponentType<CodeEditorProps> | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const [isShown, setShown] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isHere = true;
    import('./code-editor.tsx').then(
      ({ CodeEditor }) => {
        if (!isHere) return;
        setLoaded(() => CodeEditor);
        if (!box.current?.contains(document.activeElement)) setShown(true);
      },
      () => isHere && setFailed(true),
    );
    return () => {
      isHere = false;
    };
  }, []);
  const onBlur = () => loaded !== null && setShown(true);
  return { Editor: isShown ? loaded : null, hasFailed, box, onBlur };
}
