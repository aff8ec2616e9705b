import { SegmentedControl, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { Pairs } from '../../inputs/pairs.tsx';
import type { Draft, Pair } from '../draft.ts';
import { BodyField } from '../editor/body-field.tsx';

type Kind = 'fields' | 'raw';

/** The payload as fields or as a raw body. The other one keeps its contents until the form is left. */
export function PayloadFields({
  draft,
  set,
  sentence,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  sentence: (where: string) => string | undefined;
}) {
  const { data, body } = draft;
  const isTemplate = draft.template === true;
  const [chosen, setChosen] = useState<Kind>('fields');
  const aside = useRef<{ data: Pair[]; body: string }>({ data: [], body: '' });
  // Contents are shown, whatever was chosen last.
  const kind: Kind = body !== '' ? 'raw' : data.length > 0 ? 'fields' : chosen;
  const choose = (next: Kind) => {
    setChosen(next);
    if (next === kind) return;
    if (next === 'raw') {
      aside.current.data = data;
      set({ data: [], body: aside.current.body });
    } else {
      aside.current.body = body;
      set({ body: '', data: aside.current.data });
    }
  };
  const isBoth = body !== '' && data.length > 0;
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Kind of payload"
        size="xs"
        data={[
          { value: 'fields', label: 'Fields' },
          { value: 'raw', label: 'Raw body' },
        ]}
        value={kind}
        onChange={value => choose(value as Kind)}
        style={{ alignSelf: 'start' }}
      />
      {(kind === 'fields' || isBoth) && (
        <Pairs
          name="payload field"
          about="A JSON object in the body, or query parameters for GET, HEAD and DELETE."
          withNames={isTemplate}
          pairs={data}
          errorOf={index => sentence(`data[${index}]`)}
          error={sentence('data')}
          onChange={next => set({ data: next })}
        />
      )}
      {kind === 'raw' && (
        <BodyField
          withNames={isTemplate}
          value={body}
          error={sentence('body')}
          onChange={next => {
            setChosen('raw');
            set({ body: next });
          }}
        />
      )}
    </Stack>
  );
}
