import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Pair } from '../form/draft.ts';
import { NameOffers } from '../form/editor/name-offers.tsx';

/** Rows of names and values. */
export function Pairs({
  name,
  about,
  isSecret = false,
  withNames = false,
  pairs,
  error,
  errorOf,
  onChange,
}: {
  /** The name of one pair. */
  name: string;
  about: string;
  /** Whether values are hidden while they are typed. */
  isSecret?: boolean;
  /** Whether values may have names of templates. */
  withNames?: boolean;
  pairs: Pair[];
  /** About all of them. */
  error?: string | undefined;
  errorOf: (index: number) => string | undefined;
  onChange: (pairs: Pair[]) => void;
}) {
  const set = (index: number, pair: Pair) => onChange(pairs.with(index, pair));
  return (
    <Stack gap="xs">
      <Text size="sm" className="muted">
        {about}
      </Text>
      {pairs.map(([key, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <Group key={index} gap="xs" wrap="nowrap" align="start">
          <TextInput
            aria-label={`Name of ${name} ${index + 1}`}
            placeholder="Name"
            value={key}
            error={errorOf(index)}
            spellCheck={false}
            onChange={event => set(index, [event.currentTarget.value, value])}
            style={{ flex: '1 1 40%' }}
          />
          <NameOffers isOn={withNames} value={value} onChange={next => set(index, [key, next])}>
            {props => (
              <TextInput
                aria-label={`Value of ${name} ${index + 1}`}
                placeholder="Value"
                spellCheck={false}
                {...(isSecret && { type: 'password', autoComplete: 'new-password' })}
                {...props}
                style={{ flex: '1 1 60%' }}
              />
            )}
          </NameOffers>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => onChange(pairs.toSpliced(index, 1))}
          >
            <IconTrash size={17} />
          </ActionIcon>
        </Group>
      ))}
      {error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {error}
        </Text>
      )}
      <div>
        <Button size="xs" variant="default" onClick={() => onChange([...pairs, ['', '']])}>
          Add {name}
        </Button>
      </div>
    </Stack>
  );
}
