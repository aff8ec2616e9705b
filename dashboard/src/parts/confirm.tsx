import { Button, Group, Stack, Text } from '@mantine/core';
import { Dialog } from './dialog.tsx';

/** Asks before what cannot be taken back. */
export function Confirm({
  opened,
  title,
  children,
  action,
  isBusy,
  onConfirm,
  onClose,
}: {
  opened: boolean;
  title: string;
  children: string;
  action: string;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{children}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" onClick={onConfirm} loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
