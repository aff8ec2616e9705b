import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { Simulation } from '@punctual/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSetWindow } from '../change/actions.ts';
import { Dialog } from '../parts/dialog.tsx';
import { schedulesText, whole } from '../parts/numbers.ts';
import { Asked } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { fullTime, shortTime, span } from '../time/times.ts';
import { type Peak, type SpreadEffect, spreadEffectOf } from './spread-effect.ts';
import './heat-map.css';

const WINDOWS = [60, 300, 900, 1_800];
const MOST_NAMED = 5;

interface Props {
  /** At most 1,000. */
  ids: string[];
  /** The times from here on are looked at, epoch ms. */
  at: number;
  windowSeconds: number;
  /** Whether another window can be chosen. */
  canChoose?: boolean;
  /** @param moved the ids of those that get the window */
  onSpread?: (moved: string[]) => void;
  onClose: () => void;
}

/** A window for schedules: its effect before and after, and then the change. */
export function SpreadDialog({ windowSeconds: first, canChoose = false, ...props }: Props) {
  const [windowSeconds, setWindowSeconds] = useState(first);
  const { ids, at, onSpread, onClose } = props;
  const setWindow = useSetWindow();
  const effect = useQuery({
    queryKey: ['spread', ids, at, windowSeconds],
    queryFn: async ({ signal }) => {
      const changes = ids.map(id => ({ id, patch: { windowSeconds } }));
      const from = new Date(at).toISOString();
      const answer = await api.simulate({ changes, from, days: 1, herd: true }, { signal });
      return { ...spreadEffectOf(answer, ids), herd: answer.herd ?? [] };
    },
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const moved = effect.data?.moves.map(({ id }) => id) ?? [];
  const isReady = moved.length > 0 && !effect.isPlaceholderData;
  return (
    <Dialog
      opened
      title={`Spread ${schedulesText(moved.length || ids.length)} over ${span(windowSeconds * 1_000)}?`}
      onClose={onClose}
    >
      <Stack>
        {canChoose && (
          <SegmentedControl
            aria-label="Window"
            data={WINDOWS.map(seconds => ({
              value: String(seconds),
              label: span(seconds * 1_000),
            }))}
            value={String(windowSeconds)}
            onChange={value => setWindowSeconds(Number(value))}
          />
        )}
        <Asked query={effect} height={240}>
          {data => <Effect effect={data} windowSeconds={windowSeconds} herd={data.herd} />}
        </Asked>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={!isReady}
            onClick={() => {
              setWindow.mutate({ ids: moved, windowSeconds });
              onSpread?.(moved);
              onClose();
            }}
          >
            Spread
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Effect({
  effect: { moves, refused, idle, peakBefore, peakAfter, bars },
  windowSeconds,
  herd,
}: {
  effect: SpreadEffect;
  windowSeconds: number;
  herd: NonNullable<Simulation['herd']>;
}) {
  const most = Math.max(1, ...bars.before, ...bars.after);
  return (
    <Stack gap="sm">
      <Text size="sm">
        The interval stays. Window: <del>none</del> <span aria-hidden>→</span>{' '}
        <b>{span(windowSeconds * 1_000)}</b>. Each schedule keeps its own place in it.
      </Text>
      <Load name="Before" peak={peakBefore} counts={bars.before} most={most} />
      <Load name="After" peak={peakAfter} counts={bars.after} most={most} />
      {moves.length > 0 && (
        <Text size="xs" className="muted numbers">
          From {shortTime(bars.from)} on, {span(bars.spanMs)} a bar. The next firing of each
          schedule.
        </Text>
      )}
      {herd.map(({ host, before, after }) => (
        <Text key={host} size="sm" className="wrap numbers">
          Busiest minute of {host} in the day after: {before ? whole(before.firings) : 0}
          {before && <span className="muted"> at {shortTime(before.at)}</span>}{' '}
          <span aria-hidden>→</span> <b>{after ? whole(after.firings) : 0}</b>
          {after && <span className="muted"> at {shortTime(after.at)}</span>}
        </Text>
      ))}
      <Named moves={moves} />
      {[...refused].map(([sentence, ids]) => (
        <Text key={sentence} size="sm" className="wrap">
          {stayText(ids)} {sentence}
        </Text>
      ))}
      {idle.length > 0 && (
        <Text size="sm" className="wrap">
          {stayText(idle)} No firing is to come.
        </Text>
      )}
    </Stack>
  );
}

const BAR_HEIGHT = 44;

function Load({
  name,
  peak,
  counts,
  most,
}: {
  name: string;
  peak: Peak;
  counts: number[];
  most: number;
}) {
  const text =
    peak.count === 0 ? 'none' : `${whole(peak.count)} at most at one second, ${fullTime(peak.at)}`;
  return (
    <div>
      <Text size="sm" className="numbers">
        <b>{name}</b>: {text}
      </Text>
      <svg
        className="load-bars"
        width="100%"
        height={BAR_HEIGHT}
        viewBox={`0 0 ${counts.length} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Load ${name.toLowerCase()}: ${text}`}
      >
        {counts.map((each, index) => {
          const height = (each / most) * (BAR_HEIGHT - 2);
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
              key={index}
              x={index + 0.08}
              y={BAR_HEIGHT - height}
              width={0.84}
              height={height}
              fill="var(--busy)"
            />
          );
        })}
      </svg>
    </div>
  );
}

/** The first of them by name, with their times before and after. */
function Named({ moves }: { moves: SpreadEffect['moves'] }) {
  const named = moves.slice(0, MOST_NAMED);
  const schedules = useQueries({
    queries: named.map(({ id }) => ({
      queryKey: ['schedule', id],
      queryFn: () => api.getSchedule(id),
    })),
  });
  if (named.length === 0) return null;
  return (
    <table className="rows times" aria-label="Times before and after">
      <thead>
        <tr>
          <th scope="col">Schedule</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody className="numbers">
        {named.map(({ id, before, after }, index) => {
          const schedule = schedules[index]?.data;
          return (
            <tr key={id}>
              <td className="wrap">
                <Link className="link" href={`/schedules/${id}`}>
                  {schedule === undefined ? id : nameOf(schedule)}
                </Link>
              </td>
              <td>{shortTime(before)}</td>
              <td>{shortTime(after)}</td>
            </tr>
          );
        })}
        {moves.length > MOST_NAMED && (
          <tr>
            <td colSpan={3} className="muted">
              And {whole(moves.length - MOST_NAMED)} more.
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

const stayText = ({ length }: string[]) =>
  length === 1 ? '1 schedule stays as it is.' : `${schedulesText(length)} stay as they are.`;
