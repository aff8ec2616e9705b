import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { openPalette } from '../keyboard/keyboard.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';

/** An address that is none of the dashboard's. */
export function NotFound() {
  return (
    <Page name="Nothing is here">
      <Card>
        <Empty title="The dashboard has no page at this address">
          <Text size="sm" className="wrap" mb="md">
            The address may be cut off, or of another version of Punctual.
          </Text>
          <Group justify="center" gap="xs">
            <Button component={Link} href="/">
              To the overview
            </Button>
            <Button variant="default" onClick={openPalette}>
              Go to anything
            </Button>
          </Group>
        </Empty>
      </Card>
    </Page>
  );
}
