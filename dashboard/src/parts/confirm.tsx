import { Button, Group, Modal, Stack, Text } from '@mantine/core';

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
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
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
    </Modal>
  );
}
