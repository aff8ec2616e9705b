import { Button, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { afterOf, IncidentRow, scopeOf } from '../incident/incident-card.tsx';
import { useIncidents } from '../incident/incident-queries.ts';
import { ResendDialog, type ResendScope } from '../incident/resend-dialog.tsx';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';

const SPANS = { '1 h': 1, '24 h': 24, '7 days': 168 };
type Span = keyof typeof SPANS;
const HOUR_MS = 3_600_000;

/** Failed and missed runs by their cause and host: what happened, to whom, and whether it is over. */
export function Incidents() {
  const [span, setSpan] = useState<Span>('24 h');
  const hours = SPANS[span];
  const incidents = useIncidents(hours);
  const [scope, setScope] = useState<ResendScope | null>(null);
  const askForAll = () => {
    const now = Date.now();
    const from = new Date(now - hours * HOUR_MS).toISOString();
    setScope({ from, to: new Date(afterOf(now)).toISOString() });
  };
  return (
    <Page
      name="Incidents"
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            data={Object.keys(SPANS)}
            value={span}
            onChange={value => setSpan(value as Span)}
          />
          <Button variant="default" onClick={askForAll}>
            Send again all that failed…
          </Button>
        </>
      }
    >
      <Card padded={false}>
        <Asked query={incidents} height={240}>
          {({ items, isCut, isPartial }) => (
            <>
              {items.length === 0 && !isPartial ? (
                <Empty title="Nothing failed">
                  Runs that fail, and times that are missed, appear here by their cause and host.
                </Empty>
              ) : (
                <ul className="incidents">
                  {items.map(incident => (
                    <IncidentRow
                      key={`${incident.cause} ${incident.statusCode} ${incident.host} ${incident.since}`}
                      incident={incident}
                      onSendAgain={() => setScope(scopeOf(incident))}
                    />
                  ))}
                </ul>
              )}
              {isPartial && (
                <Text size="sm" className="muted" p="md" role="status">
                  Earlier hours are still being counted.
                </Text>
              )}
              {isCut && (
                <Text size="sm" className="muted" p="md">
                  More failed than is read: of each hour the newest 5,000 are counted.
                </Text>
              )}
            </>
          )}
        </Asked>
      </Card>
      {scope && (
        <ResendDialog key={JSON.stringify(scope)} scope={scope} onClose={() => setScope(null)} />
      )}
    </Page>
  );
}
