import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { useSearchParams } from 'wouter';
import { withoutPage } from './pager.tsx';

/** Filters of a list, which stand in the address. */

export type SetSearch = ReturnType<typeof useSearchParams>[1];

/** Sets one filter to these values, or takes it away; the list begins anew with its first page. */
export function filterSetter(setSearch: SetSearch): (name: string, ...values: string[]) => void {
  return (name, ...values) =>
    setSearch(
      before => {
        const after = withoutPage(before);
        after.delete(name);
        for (const value of values) if (value !== '') after.append(name, value);
        return after;
      },
      { replace: true },
    );
}

export function StatusFilter({
  value,
  onChange,
}: {
  value: string;
  onChange: (status: string) => void;
}) {
  return (
    <NativeSelect
      aria-label="Status"
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: 'Enabled and paused' },
        { value: 'enabled', label: 'Enabled' },
        { value: 'disabled', label: 'Paused' },
        { value: 'deleted', label: 'Deleted' },
      ]}
    />
  );
}

/** Asks when the typing rests. */
export function Find({
  label,
  value,
  onFind,
}: {
  label: string;
  value: string;
  onFind: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const [rested] = useDebouncedValue(text, 250);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed asks
  useEffect(() => {
    if (rested !== value) onFind(rested);
  }, [rested]);
  // A view, or the browser's Back, has brought another text.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed does not ask for itself
  useEffect(() => {
    if (value !== rested) setText(value);
  }, [value]);
  return (
    <TextInput
      type="search"
      aria-label={`${label} contains`}
      placeholder={`${label}…`}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={event => setText(event.currentTarget.value)}
      style={{ flex: '1 1 110px' }}
    />
  );
}
