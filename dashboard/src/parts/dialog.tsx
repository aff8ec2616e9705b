import { CloseButton, Drawer, Modal, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useEffect, useId, useRef } from 'react';

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
          <Modal.Title fw={650} lh={1.35}>
            {title}
          </Modal.Title>
          {isClosable && <Modal.CloseButton aria-label="Close" />}
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** From the side, for what is long. A wide window has room for it beside the page, which stays in use. */
export function SideDialog({ opened, title, onClose, children }: DialogProps) {
  const isWide = useMediaQuery('(min-width: 106em)');
  if (isWide && opened) {
    return (
      <Pane title={title} onClose={() => onClose?.()}>
        {children}
      </Pane>
    );
  }
  return (
    <Drawer.Root opened={opened} onClose={() => onClose?.()} position="right" size="xl">
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Header role="none">
          <Drawer.Title fw={650} lh={1.35}>
            {title}
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Drawer.Header>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** It takes the focus as a drawer does, and gives it back; the page beside it can be used meanwhile. */
function Pane({
  title,
  onClose,
  children,
}: Required<Pick<DialogProps, 'title' | 'onClose'>> & { children: ReactNode }) {
  const pane = useRef<HTMLElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    pane.current?.focus();
    return () => {
      const isInside =
        document.activeElement === document.body || pane.current?.contains(document.activeElement);
      if (isInside && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <section
      ref={pane}
      className="pane"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={event => event.key === 'Escape' && onClose()}
    >
      <div className="pane-head">
        <Title order={2} id={id}>
          {title}
        </Title>
        <CloseButton aria-label="Close" onClick={onClose} />
      </div>
      <div className="pane-body">{children}</div>
    </section>
  );
}
