import { Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { Forecast } from '@punctual/client';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useMemo,
  useState,
} from 'react';
import { whole } from '../parts/numbers.ts';
import { fullTime } from '../time/times.ts';
import {
  busiestCell,
  cellAt,
  cellByKey,
  cellOf,
  firstCell,
  type HeatGrid,
  heatGridOf,
  rowName,
} from './heat-grid.ts';
import { type HeatScale, heatScaleOf, heatText, SHADES, shadeOf } from './heat-scale.ts';
import './heat-map.css';

/**
 * Firings to come, a cell for each step: one stop of the Tab key, and the arrow keys go from cell to cell. A click or Enter
 * chooses one. The lists below give the peaks as numbers.
 */
const LEFT = 76;
const TOP = 18;

interface Sizes {
  width: number;
  rowHeight: number;
}

export function HeatMap({
  forecast,
  chosen,
  onChoose,
  gridRef,
}: {
  forecast: Forecast;
  /** Has the focus while the keys go from cell to cell. */
  gridRef: RefObject<HTMLDivElement | null>;
  /** The instant of the chosen cell, epoch ms. */
  chosen: number | null;
  onChoose: (at: number | null) => void;
}) {
  const { ref, width } = useElementSize();
  // Instants: another cell has the same number once an hour has passed.
  const [pointedAt, setPointed] = useState<number | null>(null);
  const [activeAt, setActive] = useState<number | null>(null);
  const grid = useMemo(() => heatGridOf(forecast), [forecast]);
  const scale = useMemo(() => heatScaleOf(forecast.counts), [forecast]);
  const { columns, rows } = grid;
  const rowHeight = columns === 60 ? 15 : 30;
  const sizes = { width: Math.max(0, (width - LEFT) / columns), rowHeight };
  const height = TOP + rows.length * rowHeight;
  const at = (index: number) => grid.first + index * grid.stepMs;
  const numberOf = (instant: number | null) => (instant === null ? null : cellAt(grid, instant));
  const chosenCell = numberOf(chosen);
  // A cell whose time has passed leads to the next one there is.
  const active = activeAt === null ? null : (numberOf(activeAt) ?? firstCell(grid));
  const told = numberOf(pointedAt) ?? active;
  /** Its instant. */
  const cellUnder = (event: MouseEvent): number | null => {
    const box = event.currentTarget.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - LEFT) / sizes.width);
    const row = Math.floor((event.clientY - box.top - TOP) / rowHeight);
    if (column < 0 || column >= columns || row < 0) return null;
    const index = row * columns + column;
    return cellOf(grid, index) === null ? null : at(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const index = active ?? busiestCell(grid);
    const isChoice = event.key === 'Enter' || event.key === ' ';
    const next = cellByKey(grid, index, event.key);
    if (isChoice) onChoose(at(index));
    else if (event.key === 'Escape' && chosen !== null) onChoose(null);
    else if (next !== null) setActive(at(next));
    else return;
    event.preventDefault();
  };
  return (
    <div ref={ref}>
      {/* biome-ignore lint/a11y/useSemanticElements: a table would need a button in each of its 1,440 cells */}
      <div
        ref={gridRef}
        className="heat"
        role="grid"
        tabIndex={0}
        aria-label={`Heat map of the firings to come; the most at once are ${scale.most}. The arrow keys go from cell to cell, Enter shows who fires.`}
        aria-activedescendant={active === null ? undefined : `heat-${active}`}
        onKeyDown={onKeyDown}
        onFocus={event =>
          event.currentTarget.matches(':focus-visible') &&
          setActive(before => before ?? at(chosenCell ?? busiestCell(grid)))
        }
        onBlur={() => setActive(null)}
      >
        <svg
          width="100%"
          height={height}
          role="none"
          onClick={event => {
            const under = cellUnder(event);
            if (under !== null) onChoose(under);
          }}
          onPointerMove={event => setPointed(cellUnder(event))}
          onPointerLeave={() => setPointed(null)}
        >
          {rows.map((counts, row) => (
            <Row
              key={at(row * columns)}
              first={row * columns}
              counts={counts}
              grid={grid}
              scale={scale}
              {...sizes}
              chosen={
                chosenCell !== null && Math.floor(chosenCell / columns) === row ? chosenCell : null
              }
            />
          ))}
        </svg>
        <svg className="heat-over" width="100%" height={height} aria-hidden="true">
          <Columns columns={columns} isNarrow={width < 560} cell={sizes.width} />
          {chosenCell !== null && (
            <Outline index={chosenCell} columns={columns} {...sizes} isStrong />
          )}
          {told !== null && <Outline index={told} columns={columns} {...sizes} />}
        </svg>
      </div>
      <Group justify="space-between" mt={6} gap="xs">
        <Text size="sm" className="numbers" mih={22}>
          {told === null ? ' ' : cellText(grid, scale, told)}
        </Text>
        <Legend scale={scale} step={columns === 60 ? 'minute' : 'hour'} />
      </Group>
    </div>
  );
}

function cellText(grid: HeatGrid, scale: HeatScale, index: number): string {
  const when = fullTime(grid.first + index * grid.stepMs);
  return `${when}: ${heatText(cellOf(grid, index) ?? 0, scale)}`;
}

function Columns({
  columns,
  isNarrow,
  cell,
}: {
  columns: number;
  isNarrow: boolean;
  cell: number;
}) {
  const every = columns === 60 ? (isNarrow ? 15 : 5) : isNarrow ? 6 : 3;
  return (
    <g>
      {Array.from({ length: Math.ceil(columns / every) }, (_, index) => index * every).map(
        column => (
          <text key={column} x={LEFT + column * cell} y={11} fontSize={11} fill="var(--muted)">
            {columns === 60 ? `:${String(column).padStart(2, '0')}` : `${column} h`}
          </text>
        ),
      )}
    </g>
  );
}

/** It is drawn again only if its counts, its size or its choice change: what is pointed at is an outline above it. */
const Row = memo(function Row({
  first,
  counts,
  grid,
  scale,
  width,
  rowHeight,
  chosen,
}: Sizes & {
  first: number;
  counts: (number | null)[];
  grid: HeatGrid;
  scale: HeatScale;
  chosen: number | null;
}) {
  const y = TOP + (first / grid.columns) * rowHeight;
  const at = grid.first + first * grid.stepMs;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no table row stands in a drawing
    <g role="row">
      {/* biome-ignore lint/a11y/useSemanticElements: no table cell stands in a drawing */}
      <text
        role="rowheader"
        x={LEFT - 8}
        y={y + rowHeight / 2 + 4}
        fontSize={11}
        fill="var(--muted)"
        textAnchor="end"
      >
        {rowName(grid, at)}
      </text>
      {counts.map((count, column) => {
        if (count === null) return null;
        const index = first + column;
        return (
          // biome-ignore lint/a11y/useSemanticElements: no table cell stands in a drawing
          <rect
            key={index}
            id={`heat-${index}`}
            role="gridcell"
            aria-label={cellText(grid, scale, index)}
            aria-selected={index === chosen}
            x={LEFT + column * width + 0.5}
            y={y + 0.5}
            width={Math.max(0.5, width - 1)}
            height={rowHeight - 1}
            rx={2}
            fill={`var(--heat-${shadeOf(count, scale)})`}
          />
        );
      })}
    </g>
  );
});

function Outline({
  index,
  columns,
  width,
  rowHeight,
  isStrong = false,
}: Sizes & { index: number; columns: number; isStrong?: boolean }) {
  return (
    <rect
      x={LEFT + (index % columns) * width}
      y={TOP + Math.floor(index / columns) * rowHeight}
      width={width}
      height={rowHeight}
      rx={2}
      fill="none"
      stroke={isStrong ? 'var(--mantine-color-text)' : 'var(--busy)'}
      strokeWidth={2}
    />
  );
}

/** Shades tell the difference from the base. */
function Legend({ scale: { base, most }, step }: { scale: HeatScale; step: string }) {
  return (
    <Group gap="sm">
      <Text size="xs" className="muted numbers">
        {base === 0
          ? `Nothing fires in most ${step}s.`
          : `Base: ${whole(base)} ${base === 1 ? 'firing' : 'firings'} in a usual ${step}. Stronger shades are above it.`}
      </Text>
      <Group gap={3} aria-hidden>
        <Text size="xs" className="muted">
          0
        </Text>
        {Array.from({ length: SHADES }, (_, index) => index).map(index => (
          <div key={index} className="heat-shade" style={{ background: `var(--heat-${index})` }} />
        ))}
        <Text size="xs" className="muted numbers">
          {whole(most)}
        </Text>
      </Group>
    </Group>
  );
}
