import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core';

/** A key or a secret, which nobody can see a second time. */
export function ShownOnce({
  value,
  note,
  onClose,
}: {
  value: string;
  note: string;
  onClose: () => void;
}) {
  return (
    <Stack>
      <Alert color="orange" variant="outline" title="Copy it now">
        {note}
      </Alert>
      <Code block>{value}</Code>
      <Group justify="flex-end">
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
