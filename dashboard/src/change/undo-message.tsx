import { Button, Group } from '@mantine/core';

/** A message of a change, with the way back. */
export function UndoMessage({ text, onUndo }: { text: string; onUndo: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="md">
      <span className="wrap">{text}</span>
      <Button size="compact-sm" variant="default" onClick={onUndo} style={{ flex: 'none' }}>
        Undo
      </Button>
    </Group>
  );
}
