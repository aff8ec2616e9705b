import { ActionIcon, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import {
  IconChevronLeft,
  IconChevronRight,
  IconMinus,
  IconPlayerTrackNext,
  IconPlus,
} from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { ticksOf } from '../time/time-ticks.ts';
import { fullTime } from '../time/times.ts';
import { type Pointed, usePlotGestures } from './plot-gestures.ts';
import type { TimeView } from './use-time-view.ts';
import './timeline.css';

/**
 * A time axis with lanes under it, which is zoomed and moved with the wheel, the pointer, two fingers and the keyboard.
 * The axis has the focus: the arrow keys go from step to step.
 */
export function TimePlot({
  view,
  timezone,
  name,
  cursor,
  cursorText,
  isFleet = false,
  onPoint,
  onPick,
  onArrow,
  onWidth,
  children,
}: {
  view: TimeView;
  /** The owner of the clock that the axis shows. */
  timezone: string;
  name: string;
  /** The instant that is pointed at, by the pointer or the keys. */
  cursor: number | null;
  cursorText: string;
  isFleet?: boolean;
  onPoint: (pointed: Pointed | null) => void;
  onPick: (pointed: Pointed) => void;
  onArrow: (key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown') => void;
  onWidth: (width: number) => void;
  children: (width: number) => ReactNode;
}) {
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const axis = useRef<HTMLDivElement>(null);
  const axisRef = useMergedRef(axis, sizeRef);
  const outer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (width > 0) onWidth(width);
  }, [width, onWidth]);
  const { handlers, isDragging } = usePlotGestures(outer, axis, { view, onPoint, onPick });
  const { from, to } = view.window;
  const x = (at: number) => ((at - from) / (to - from)) * width;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isHandled = handleKey(event, view, cursor, onArrow, () =>
      onPick({ at: cursor ?? view.now, lane: null }),
    );
    if (isHandled) event.preventDefault();
  };
  const isNowIn = view.now >= from && view.now <= to;
  return (
    <div
      ref={outer}
      className={isFleet ? 'plot fleet' : 'plot'}
      data-dragging={isDragging || undefined}
      {...handlers}
    >
      <div className="plot-head">
        <div
          ref={axisRef}
          className="plot-axis"
          role="slider"
          tabIndex={0}
          aria-label={name}
          aria-valuemin={Math.round(from)}
          aria-valuemax={Math.round(to)}
          aria-valuenow={Math.round(Math.min(to, Math.max(from, cursor ?? view.now)))}
          aria-valuetext={cursorText || `${fullTime(from, timezone)} to ${fullTime(to, timezone)}`}
          aria-keyshortcuts="+ - ArrowLeft ArrowRight Home Enter"
          onKeyDown={onKeyDown}
        >
          <svg width="100%" height={26} aria-hidden="true">
            {ticksOf(view.window, width, timezone)
              .filter(({ at }) => x(at) > 22 && x(at) < width - 22)
              .filter(({ at }) => !isNowIn || Math.abs(x(at) - x(view.now)) > 44)
              .map(({ at, text, isDay }) => (
                <g key={at}>
                  <line x1={x(at)} x2={x(at)} y1={21} y2={26} stroke="var(--muted)" />
                  <text
                    x={x(at)}
                    y={15}
                    fontSize={11}
                    fontWeight={isDay ? 600 : 400}
                    fill="var(--muted)"
                    textAnchor="middle"
                    className="numbers"
                  >
                    {text}
                  </text>
                </g>
              ))}
            {isNowIn && (
              <g>
                <line
                  x1={x(view.now)}
                  x2={x(view.now)}
                  y1={18}
                  y2={26}
                  stroke="var(--busy)"
                  strokeWidth={1.5}
                />
                <text
                  x={Math.min(width - 14, Math.max(14, x(view.now)))}
                  y={15}
                  fontSize={11}
                  fontWeight={650}
                  fill="var(--busy)"
                  textAnchor="middle"
                >
                  now
                </text>
              </g>
            )}
          </svg>
        </div>
      </div>
      {width > 0 && children(width)}
      {cursor !== null && cursor >= from && cursor <= to && (
        <div
          className="plot-cursor"
          style={{ left: `calc(var(--gutter) + ${Math.round(x(cursor))}px)` }}
        />
      )}
    </div>
  );
}

/** @returns whether the key means something here */
function handleKey(
  { key, shiftKey }: KeyboardEvent,
  view: TimeView,
  cursor: number | null,
  onArrow: (key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown') => void,
  onEnter: () => void,
): boolean {
  const at = cursor ?? undefined;
  const quarter = view.spanMs / 4;
  switch (key) {
    case '+':
    case '=':
      view.zoom(0.5, at);
      return true;
    case '-':
    case '_':
      view.zoom(2, at);
      return true;
    case 'Home':
      view.follow();
      return true;
    case 'PageUp':
    case 'PageDown':
      view.move(key === 'PageUp' ? -view.spanMs : view.spanMs);
      return true;
    case 'Enter':
      onEnter();
      return true;
    case 'ArrowLeft':
    case 'ArrowRight':
      if (shiftKey) view.move(key === 'ArrowLeft' ? -quarter : quarter);
      else onArrow(key);
      return true;
    case 'ArrowUp':
    case 'ArrowDown':
      onArrow(key);
      return true;
    default:
      return false;
  }
}

/** The buttons for what the wheel, the pointer and the keys do. */
export function PlotControls({
  view,
  spans,
  name,
}: {
  view: TimeView;
  /** By name, ms. */
  spans: Record<string, number>;
  name: string;
}) {
  const names = Object.keys(spans);
  const chosen = names.find(each => Math.abs(spans[each]! / view.spanMs - 1) < 0.01) ?? '';
  return (
    <Group gap={6}>
      <Group gap={2} wrap="nowrap">
        <Tool label="Earlier" onClick={() => view.move(-view.spanMs / 2)}>
          <IconChevronLeft size={17} />
        </Tool>
        <Tool label="Later" onClick={() => view.move(view.spanMs / 2)}>
          <IconChevronRight size={17} />
        </Tool>
        <Tool label="Zoom out" onClick={() => view.zoom(2)}>
          <IconMinus size={17} />
        </Tool>
        <Tool label="Zoom in" onClick={() => view.zoom(0.5)}>
          <IconPlus size={17} />
        </Tool>
      </Group>
      <SegmentedControl
        size="xs"
        aria-label={name}
        data={names}
        value={chosen}
        onChange={value => view.setSpan(spans[value]!)}
      />
      <Button
        size="compact-sm"
        variant={view.isFollowing ? 'default' : 'light'}
        disabled={view.isFollowing}
        leftSection={<IconPlayerTrackNext size={14} aria-hidden />}
        onClick={view.follow}
      >
        Now
      </Button>
    </Group>
  );
}

function Tool({
  label,
  onClick,
  children,
}: {
  label: string;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <ActionIcon variant="default" size={28} aria-label={label} title={label} onClick={onClick}>
      {children}
    </ActionIcon>
  );
}

const LEGEND = [
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['missed', 'missed'],
  ['skipped', 'skipped'],
  ['due', 'to come'],
  ['band', 'nothing could fire'],
] as const;

function Legend() {
  return (
    <ul className="plot-legend" aria-label="Colours">
      {LEGEND.map(([kind, words]) => (
        <li key={kind} data-kind={kind}>
          {words}
        </li>
      ))}
    </ul>
  );
}

/** How a timeline is read and used, and the way to the same as a table. */
export function PlotFoot({ isTable, onTable }: { isTable: boolean; onTable: () => void }) {
  return (
    <Group justify="space-between" gap="xs" mt={6}>
      <Legend />
      <Text size="xs" className="muted">
        Drag to move. Ctrl and wheel, or two fingers, to zoom. Keys: arrows, + and −, Home, Enter.
      </Text>
      <Button size="compact-xs" variant="subtle" aria-expanded={isTable} onClick={onTable}>
        {isTable ? 'Hide the table' : 'As a table'}
      </Button>
    </Group>
  );
}
