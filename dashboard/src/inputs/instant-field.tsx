import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { localText } from '../time/times.ts';
import { instantOfLocal } from '../time/zone-local.ts';

/** An instant, chosen by the clock of a zone. */
export function InstantField({
  label,
  description,
  timezone,
  value,
  error,
  onChange,
}: {
  label: string;
  description?: string;
  timezone: string;
  /** ISO 8601, or '' for none. */
  value: string;
  error?: string | undefined;
  onChange: (at: string) => void;
}) {
  const [typed, setTyped] = useState('');
  // A time that is half typed is not written anew under the hands.
  const isTyped = typed !== '' && instantOfLocal(typed, timezone) === value;
  const shown = value === '' ? '' : localText(value, timezone);
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      description={description}
      value={isTyped ? typed : shown}
      error={error}
      onChange={event => {
        const text = event.currentTarget.value;
        setTyped(text);
        onChange(text === '' ? '' : (instantOfLocal(text, timezone) ?? ''));
      }}
    />
  );
}
