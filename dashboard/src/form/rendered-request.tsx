import { Code, Stack, Text } from '@mantine/core';
import type { RenderedRequest } from '@punctual/client';
import { Facts } from '../parts/facts.tsx';
import { Card } from '../parts/page.tsx';

/** The request of the next time, with the names of its templates replaced. */
export function RequestCard({
  isTemplate,
  hasDestination,
  request,
}: {
  /** Whether the schedule has templates. */
  isTemplate: boolean;
  hasDestination: boolean;
  /** Absent while something of the form is wrong. */
  request: RenderedRequest | undefined;
}) {
  if (!isTemplate) return null;
  return (
    <Card title="The request">
      {request === undefined ? (
        <Text size="sm" className="muted">
          It is shown here, with all names replaced, when nothing in the form is wrong.
        </Text>
      ) : (
        <Request request={request} hasDestination={hasDestination} />
      )}
    </Card>
  );
}

function Request({
  request: { method, url, headers, body },
  hasDestination,
}: {
  request: RenderedRequest;
  hasDestination: boolean;
}) {
  return (
    <Stack gap="sm">
      <Text size="sm" className="muted">
        As it leaves at the next time. Its ids are made up.
        {hasDestination && ' The headers of its destination are not shown.'}
      </Text>
      <Text size="sm" className="wrap" ff="monospace">
        <b>{method}</b> {url}
      </Text>
      <Facts facts={Object.entries(headers)} />
      {body !== undefined && (
        <Code block mah={260} tabIndex={0} role="region" aria-label="Body of the request">
          {body}
        </Code>
      )}
    </Stack>
  );
}
