import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { whole } from '../parts/numbers.ts';
import { Card, Empty, Failed } from '../parts/page.tsx';
import { nameOf } from '../schedule/schedule-name.ts';
import { clockTime, fullTime } from '../time/times.ts';
import { type Cell, type CellFiring, lookedText } from './cell-firings.ts';
import { SpreadDialog } from './spread-dialog.tsx';
import { useCellFirings } from './use-cell-firings.ts';

const PAGE = 20;
/** A patch takes no more. */
const MOST_SPREAD = 1_000;
const DEFAULT_WINDOW_SECONDS = 300;

/** The schedules that fire in a cell of the heat map. */
export function ForecastCell({
  cell,
  hasCell,
  onMove,
  onClose,
}: {
  cell: Cell;
  /** Whether there is a cell this number of steps away. */
  hasCell: (steps: number) => boolean;
  onMove: (steps: number) => void;
  onClose: () => void;
}) {
  const { firings, looked, state, error, again, lookFurther } = useCellFirings(cell);
  const box = useRef<HTMLDivElement>(null);
  // It stands below the heat map, and maybe below the edge of the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each cell that is chosen is to be seen
  useEffect(() => {
    // Newer browsers answer with a promise, which is no way to clean up.
    void box.current?.scrollIntoView({ block: 'nearest' });
  }, [cell.at]);
  const [spread, setSpread] = useState<string[] | null>(null);
  const title = `${fullTime(cell.at)}: ${whole(cell.count)} ${cell.count === 1 ? 'firing' : 'firings'}`;
  // A schedule that fires again and again in the cell is even already.
  const movable = firings
    .filter(({ schedule, count }) => count === 1 && schedule.windowSeconds === undefined)
    .slice(0, MOST_SPREAD)
    .map(({ schedule }) => schedule.id);
  return (
    <div ref={box}>
      <Card
        title={title}
        padded={false}
        aside={
          <Group gap="xs">
            <Move name="Earlier" onMove={hasCell(-1) ? () => onMove(-1) : null} />
            <Move name="Later" onMove={hasCell(1) ? () => onMove(1) : null} />
            {movable.length > 1 && (
              <Button size="xs" onClick={() => setSpread(movable)}>
                Spread {whole(movable.length)} schedules…
              </Button>
            )}
            <Button size="xs" variant="default" onClick={onClose}>
              Close
            </Button>
          </Group>
        }
      >
        <Text size="sm" className="muted numbers" px="md" pb="xs" role="status">
          <VisuallyHidden>{title}. </VisuallyHidden>
          {cell.host !== null && `Only of ${cell.host}. `}
          {lookedText(looked, state) ||
            (firings.length === 1
              ? 'One schedule fires then.'
              : `${whole(firings.length)} schedules fire then.`)}
        </Text>
        {error !== null && <Failed error={error} again={again} />}
        {firings.length === 0 && state !== 'look' && <Empty title="No schedule fires then" />}
        {/* Alone it begins anew for each cell: the buttons keep the focus, and the sentence is told. */}
        <Who
          key={`${cell.at} ${cell.stepSeconds} ${cell.host}`}
          firings={firings}
          cell={cell}
          onFurther={state === 'ask' ? lookFurther : null}
        />
        {spread !== null && (
          <SpreadDialog
            ids={spread}
            at={cell.at}
            windowSeconds={DEFAULT_WINDOW_SECONDS}
            canChoose
            onClose={() => setSpread(null)}
          />
        )}
      </Card>
    </div>
  );
}

/** Without a cell to go to it stays, so that it keeps the focus. */
function Move({ name, onMove }: { name: string; onMove: (() => void) | null }) {
  const isOff = onMove === null;
  return (
    <Button
      size="xs"
      variant="default"
      aria-disabled={isOff}
      {...(isOff && { 'data-disabled': true })}
      onClick={() => onMove?.()}
    >
      {name}
    </Button>
  );
}

function Who({
  firings,
  cell,
  onFurther,
}: {
  firings: CellFiring[];
  cell: Cell;
  /** Null: there is nothing more to look through. */
  onFurther: (() => void) | null;
}) {
  const [shown, setShown] = useState(PAGE);
  return (
    <>
      {firings.length > 0 && <Firings firings={firings.slice(0, shown)} cell={cell} />}
      <Group px="md" py="sm" gap="xs">
        {firings.length > shown && (
          <Button size="xs" variant="default" onClick={() => setShown(shown + PAGE)}>
            Show {whole(Math.min(PAGE, firings.length - shown))} more of {whole(firings.length)}
          </Button>
        )}
        {onFurther && (
          <Button size="xs" variant="default" onClick={onFurther}>
            Look through more schedules
          </Button>
        )}
      </Group>
    </>
  );
}

function Firings({ firings, cell }: { firings: CellFiring[]; cell: Cell }) {
  return (
    <table className="rows times" aria-label="Who fires">
      <thead>
        <tr>
          <th scope="col">Schedule</th>
          <th scope="col">{cell.stepSeconds === 60 ? 'Times' : 'Minutes'}</th>
          <th scope="col">Firings</th>
        </tr>
      </thead>
      <tbody className="numbers">
        {firings.map(({ schedule, count, times }) => (
          <tr key={schedule.id}>
            <td className="wrap">
              <Link className="link" href={`/schedules/${schedule.id}`}>
                {nameOf(schedule)}
              </Link>
            </td>
            <td className="wrap">{timesText(times, cell.stepSeconds)}</td>
            <td>{whole(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MOST_TIMES = 3;

function timesText(times: number[], stepSeconds: number): string {
  const text = (at: number) => (stepSeconds === 60 ? withSeconds(at) : clockTime(at));
  if (times.length <= MOST_TIMES) return times.map(text).join(', ');
  return `${text(times[0]!)} to ${text(times.at(-1)!)}`;
}

/** `09:00:05` */
function withSeconds(at: number): string {
  return `${clockTime(at)}:${String(Math.floor(at / 1_000) % 60).padStart(2, '0')}`;
}
