import { Alert, Button, Group, Text } from '@mantine/core';
import { Component, type ReactNode, Suspense } from 'react';

interface Props {
  /** Its place until it has come. */
  fallback?: ReactNode;
  /** Instead of it, if it does not come. */
  failed?: ReactNode;
  children: ReactNode;
}

/**
 * Parts of the page whose code comes when they are needed. The code does not come while the service is away, or if it is
 * of another release by then. A part that cannot be shown leaves the rest of the page in use.
 */
export class OnItsWay extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    const { fallback = null, failed = <NotShown />, children } = this.props;
    return this.state.hasFailed ? failed : <Suspense fallback={fallback}>{children}</Suspense>;
  }
}

export const WHY_NOT_LOADED = 'Punctual may be away, or was upgraded since this page was opened.';

/** A browser remembers code that has not come: only a new page asks for it again. */
export function NotShown() {
  return (
    <Alert color="red" variant="outline" role="alert">
      <Group justify="space-between" gap="xs">
        <Text size="sm">It could not be loaded. {WHY_NOT_LOADED}</Text>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </Group>
    </Alert>
  );
}
