import { Combobox, Text, useCombobox } from '@mantine/core';
import { type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { offeredFor, openNameAt, withName } from './template-names.ts';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** The properties of the field whose text is typed. */
interface FieldProps {
  value: string;
  onChange: (event: React.ChangeEvent<Field>) => void;
  onSelect: (event: React.SyntheticEvent<Field>) => void;
  onBlur: () => void;
}

/**
 * A field that offers the names of templates from the opening braces on. Enter takes the marked one, Escape closes the list.
 *
 * @param isOn whether the schedule has templates
 */
export function NameOffers({
  isOn,
  value,
  onChange,
  children,
}: {
  isOn: boolean;
  value: string;
  onChange: (text: string) => void;
  children: (props: FieldProps) => ReactElement;
}) {
  const [caret, setCaret] = useState<number | null>(null);
  const [closedFrom, setClosedFrom] = useState<number | null>(null);
  const open = isOn && caret !== null ? openNameAt(value, caret) : null;
  const offers = open === null ? [] : offeredFor(open);
  const isOpen = open !== null && offers.length > 0 && closedFrom !== open.from;
  const list = useCombobox({
    opened: isOpen,
    onOpenedChange: opened => !opened && setClosedFrom(open?.from ?? null),
  });
  const { field, moveTo } = useCaret(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other offers have another first one
  useEffect(() => {
    if (isOpen) list.selectFirstOption();
  }, [isOpen, open?.typed]);
  const take = (name: string) => {
    if (open === null) return;
    const next = withName(value, open, name);
    setCaret(null);
    onChange(next.text);
    moveTo(next.caret);
  };
  return (
    <Combobox
      store={list}
      position="bottom-start"
      width="target"
      withinPortal={false}
      onOptionSubmit={take}
    >
      <Combobox.Target withKeyboardNavigation={isOpen} withAriaAttributes={isOn}>
        {children({
          value,
          onChange: ({ currentTarget }) => {
            field.current = currentTarget;
            setClosedFrom(null);
            setCaret(currentTarget.selectionStart);
            onChange(currentTarget.value);
          },
          onSelect: ({ currentTarget }) => {
            field.current = currentTarget;
            setCaret(currentTarget.selectionStart);
          },
          onBlur: () => setCaret(null),
        })}
      </Combobox.Target>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options mah={220} style={{ overflowY: 'auto' }} aria-label="Names of templates">
          {offers.map(({ name, means }) => (
            <Combobox.Option key={name} value={name}>
              <Text size="sm" span ff="monospace">
                {name}
              </Text>{' '}
              <Text size="sm" span className="muted">
                {means}
              </Text>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** Moves the caret as soon as the field has its new text. */
function useCaret(value: string) {
  const field = useRef<Field | null>(null);
  const wanted = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what it waits for
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    field.current?.focus();
    field.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = null;
  }, [value]);
  return {
    field,
    moveTo: (caret: number) => {
      wanted.current = caret;
    },
  };
}
