import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { RunRequest, SentRequest } from '@punctual/client';
import { useState } from 'react';
import { Asked } from '../parts/page.tsx';
import { HeaderFacts } from '../schedule/secret-value.tsx';
import { inReadersTime } from '../time/times.ts';
import { useRunRequest } from '../version/version-queries.ts';
import { BodyText } from './attempt-detail.tsx';
import { curlCommand } from './curl-command.ts';

/** The request of one attempt. That of the last one is shown at once, and any other to who asks for it. */
export function AttemptRequest({
  runId,
  attempt,
  isLast,
}: {
  runId: string;
  attempt: number;
  isLast: boolean;
}) {
  const [isAsked, setAsked] = useState(isLast);
  // One query for the last attempt, whoever on the page asks for it.
  const told = useRunRequest(runId, isLast ? undefined : attempt, isAsked);
  return (
    <Stack gap="xs" align="stretch">
      <Group justify="space-between" gap="xs">
        <Text fw={600} size="sm">
          Request
        </Text>
        {told.data?.request && <CopyAsCurl request={told.data.request} masked={told.data.masked} />}
      </Group>
      {isAsked ? (
        <Asked query={told} height={80}>
          {data => <Told told={data} attempt={attempt} />}
        </Asked>
      ) : (
        <Button size="xs" variant="default" onClick={() => setAsked(true)}>
          Show the request
        </Button>
      )}
    </Stack>
  );
}

function Told({
  told: { request, version, notes },
  attempt,
}: {
  told: RunRequest;
  attempt: number;
}) {
  return (
    <Stack gap="xs">
      {request && (
        <>
          <Text size="sm" className="wrap">
            <b>{request.method}</b> {request.url}
          </Text>
          {version !== undefined && (
            <Text size="xs" className="muted">
              As version {version} of the schedule
            </Text>
          )}
          <details open>
            <summary className="summary">{Object.keys(request.headers).length} headers</summary>
            <HeaderFacts headers={request.headers} />
          </details>
          {request.body !== undefined && request.body !== '' && (
            <BodyText body={request.body} name={`Request body of attempt ${attempt}`} />
          )}
        </>
      )}
      {notes.map(note => (
        <Text key={note} size="sm" className="wrap muted">
          {inReadersTime(note)}
        </Text>
      ))}
    </Stack>
  );
}

/** The command is shown where the browser does not let the page write to the clipboard. */
function CopyAsCurl({ request, masked }: { request: SentRequest; masked: string[] }) {
  const [shown, setShown] = useState<string | null>(null);
  const command = curlCommand(request, masked);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      notifications.show({
        message: `Copied, without ${masked.join(', ')}. The values of all other headers are in it.`,
        color: 'green',
      });
    } catch {
      setShown(command);
    }
  };
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => void copy()}>
        Copy as cURL
      </Button>
      {shown !== null && <BodyText body={shown} name="As cURL" />}
    </>
  );
}
