import { Button, Group, Stack, Text } from '@mantine/core';
import type { Herd } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSetWindow } from '../change/actions.ts';
import { whole } from '../parts/numbers.ts';
import { Card } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { useIntervalWords } from '../schedule/interval-words.ts';
import { shortTime, span } from '../time/times.ts';
import { SpreadDialog } from './spread-dialog.tsx';

/** A herd whose advice was taken. */
interface Spread {
  herd: Herd;
  /** The ids of those that got the window: the service would have refused others. */
  moved: string[];
}

/** Herds of the next day, and the windows that spread them: shown before and after, accepted, and taken back with one click. */
export function AdviceCard() {
  const advice = useQuery({
    queryKey: ['advice'],
    queryFn: () => api.advice(),
    refetchInterval: ({ state }) => (state.data?.isPartial ? 1_000 : 30_000),
    retry: false,
  });
  const [accepted, setAccepted] = useState<Spread[]>([]);
  // A newer answer may tell of other times, and leaves a question that is open as it is.
  const [asked, setAsked] = useState<Herd | null>(null);
  const keyOf = ({ host, interval, at }: Herd) => `${host} ${interval} ${at}`;
  const isAccepted = (herd: Herd) =>
    accepted.some(each => each.herd.scheduleIds[0] === herd.scheduleIds[0]);
  const open = (advice.data?.items ?? []).filter(herd => !isAccepted(herd));
  if (open.length === 0 && accepted.length === 0 && asked === null) return null;
  return (
    <Card title="Advice">
      <Stack gap="md">
        <Text size="sm" className="muted">
          Many schedules of one interval call a host at the same second. A window spreads them; each
          keeps its own place in it.
        </Text>
        {accepted.map(spread => (
          <Accepted
            key={keyOf(spread.herd)}
            spread={spread}
            onUndone={() => setAccepted(accepted.filter(each => each !== spread))}
          />
        ))}
        {open.map(herd => (
          <Open key={keyOf(herd)} herd={herd} onAsk={() => setAsked(herd)} />
        ))}
      </Stack>
      {asked !== null && (
        <SpreadDialog
          ids={asked.scheduleIds}
          at={Date.parse(asked.at)}
          windowSeconds={asked.windowSeconds}
          onSpread={moved => setAccepted([...accepted, { herd: asked, moved }])}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

function Open({ herd, onAsk }: { herd: Herd; onAsk: () => void }) {
  const { host, interval, at, firings, schedules, peakAfter, windowSeconds, scheduleIds } = herd;
  const words = useIntervalWords(interval);
  const rest = schedules - scheduleIds.length;
  return (
    <Group justify="space-between" gap="sm" role="group" aria-label={`Advice for ${host}`}>
      <div style={{ flex: '1 1 300px', minWidth: 0 }}>
        <Text size="sm" className="wrap">
          <b>{host}</b>: {whole(schedules)} schedules,{' '}
          {words === null ? interval : words[0]!.toLowerCase() + words.slice(1)}
        </Text>
        <Text size="sm" className="numbers">
          At {shortTime(at)}: <b>{whole(firings)}</b> at one second → <b>{whole(peakAfter)}</b> with
          a window of {span(windowSeconds * 1_000)}
        </Text>
        {rest > 0 && (
          <Text size="sm" className="muted">
            It is for {whole(scheduleIds.length)} of them at a time.
          </Text>
        )}
      </div>
      <Button size="xs" onClick={onAsk}>
        Spread over {span(windowSeconds * 1_000)}…
      </Button>
    </Group>
  );
}

function Accepted({ spread: { herd, moved }, onUndone }: { spread: Spread; onUndone: () => void }) {
  const { host, windowSeconds } = herd;
  const setWindow = useSetWindow();
  return (
    <Group justify="space-between" gap="sm" role="group" aria-label={`Accepted for ${host}`}>
      <Text size="sm" className="status tone-ok wrap" style={{ whiteSpace: 'normal' }}>
        {host}: {whole(moved.length)} schedules are spread over {span(windowSeconds * 1_000)}.
      </Text>
      <Button
        size="xs"
        variant="default"
        loading={setWindow.isPending}
        onClick={() =>
          setWindow.mutate({ ids: moved, windowSeconds: null }, { onSuccess: onUndone })
        }
      >
        Undo
      </Button>
    </Group>
  );
}
