import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

/** Asks before what cannot be taken back. */
export function Confirm({
  opened,
  title,
  children,
  more,
  action,
  isBusy,
  onConfirm,
  onClose,
}: {
  opened: boolean;
  title: string;
  children: string;
  /** Further choices beside it. */
  more?: ReactNode;
  action: string;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{children}</Text>
        {more}
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
