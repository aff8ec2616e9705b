import { ActionIcon, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import type { IntegrationInput } from '@punctual/client';
import { IconTrash } from '@tabler/icons-react';

/** Addresses that are called when a run failed, or always. */
export function Webhooks({
  items,
  errorOf,
  onChange,
}: {
  items: IntegrationInput[];
  errorOf: (index: number, field: 'url' | 'name') => string | undefined;
  onChange: (items: IntegrationInput[]) => void;
}) {
  const set = (index: number, change: Partial<IntegrationInput>) =>
    onChange(items.with(index, { ...items[index]!, ...change }));
  return (
    <Stack gap="md">
      <Text size="sm" className="muted">
        Called when a run failed for good.
      </Text>
      {items.map((item, index) => (
        <Stack
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
          key={index}
          gap="xs"
          component="fieldset"
          m={0}
          p="sm"
          style={{ border: '1px solid var(--line)', borderRadius: 8 }}
        >
          <Group gap="xs" wrap="nowrap" align="end">
            <TextInput
              label={`Url of webhook ${index + 1}`}
              value={item.url}
              error={errorOf(index, 'url')}
              spellCheck={false}
              onChange={event => set(index, { url: event.currentTarget.value })}
              style={{ flex: 1 }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove webhook ${index + 1}`}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              <IconTrash size={17} />
            </ActionIcon>
          </Group>
          <TextInput
            label="Name"
            value={item.name ?? ''}
            error={errorOf(index, 'name')}
            onChange={event => set(index, { name: event.currentTarget.value })}
          />
          <Checkbox
            label="Also when a run succeeded"
            checked={item.callOnSuccess ?? false}
            onChange={event => set(index, { callOnSuccess: event.currentTarget.checked })}
          />
          <Checkbox
            label="Tell it the url of the schedule"
            checked={item.includeScheduleUrlInCallback ?? false}
            onChange={event =>
              set(index, { includeScheduleUrlInCallback: event.currentTarget.checked })
            }
          />
        </Stack>
      ))}
      <div>
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange([...items, { type: 'WEBHOOK', url: '' }])}
        >
          Add webhook
        </Button>
      </div>
    </Stack>
  );
}
