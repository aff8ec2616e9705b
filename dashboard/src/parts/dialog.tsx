import { Drawer, Modal } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * A dialog over the page. The library renders its head as a `header`. Outside of a section that
 * would be the banner of the page, so `role` says otherwise.
 */
interface DialogProps {
  opened: boolean;
  title: string;
  /** Without it, it cannot be closed. */
  onClose?: () => void;
  children: ReactNode;
}

export function Dialog({ opened, title, onClose, children }: DialogProps) {
  const isClosable = onClose !== undefined;
  return (
    <Modal.Root
      opened={opened}
      onClose={() => onClose?.()}
      closeOnEscape={isClosable}
      closeOnClickOutside={isClosable}
      centered
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header role="none">
          <Modal.Title fw={650}>{title}</Modal.Title>
          {isClosable && <Modal.CloseButton aria-label="Close" />}
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** From the side, for what is long. */
export function SideDialog({ opened, title, onClose, children }: DialogProps) {
  return (
    <Drawer.Root opened={opened} onClose={() => onClose?.()} position="right" size="lg">
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Header role="none">
          <Drawer.Title fw={650}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Drawer.Header>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
