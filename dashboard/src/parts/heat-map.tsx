import { Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { Forecast } from '@punctual/client';
import { useMemo, useState } from 'react';
import { clockTime, dayName, fullTime } from '../times.ts';

/**
 * Firings to come: hours in rows and minutes in columns for a day, days and hours for a week. The
 * lists below give the peaks as numbers.
 */
const LEFT = 76;
const TOP = 18;
const SHADES = 6;

export function HeatMap({ forecast }: { forecast: Forecast }) {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number | null>(null);
  const grid = useMemo(() => gridOf(forecast), [forecast]);
  const { columns, rows, first, most } = grid;
  const cell = Math.max(0, (width - LEFT) / columns);
  const rowHeight = columns === 60 ? 15 : 30;
  const height = TOP + rows.length * rowHeight;
  const at = (index: number) => first + index * forecast.stepSeconds * 1_000;
  const every = columns === 60 ? (width < 560 ? 15 : 5) : width < 560 ? 6 : 3;
  return (
    <div ref={ref}>
      <svg
        width="100%"
        height={height}
        role="img"
        aria-label={`Heat map of the firings to come; the most at once are ${most}. The busiest are listed below.`}
        style={{ display: 'block' }}
        onPointerMove={event => {
          const box = event.currentTarget.getBoundingClientRect();
          const column = Math.floor((event.clientX - box.left - LEFT) / cell);
          const row = Math.floor((event.clientY - box.top - TOP) / rowHeight);
          const isInside = column >= 0 && column < columns && row >= 0 && row < rows.length;
          setPointed(isInside ? row * columns + column : null);
        }}
        onPointerLeave={() => setPointed(null)}
      >
        {Array.from({ length: Math.ceil(columns / every) }, (_, index) => index * every).map(
          column => (
            <text key={column} x={LEFT + column * cell} y={11} fontSize={11} fill="var(--muted)">
              {columns === 60 ? `:${String(column).padStart(2, '0')}` : `${column} h`}
            </text>
          ),
        )}
        {rows.map((counts, row) => (
          <g key={at(row * columns)}>
            <text
              x={LEFT - 8}
              y={TOP + (row + 0.5) * rowHeight + 4}
              fontSize={11}
              fill="var(--muted)"
              textAnchor="end"
            >
              {columns === 60 ? clockTime(at(row * columns)) : dayName(at(row * columns))}
            </text>
            {counts.map((count, column) => {
              const index = row * columns + column;
              if (count === null) return null;
              return (
                <rect
                  key={index}
                  x={LEFT + column * cell + 0.5}
                  y={TOP + row * rowHeight + 0.5}
                  width={Math.max(0.5, cell - 1)}
                  height={rowHeight - 1}
                  rx={2}
                  fill={shade(count, most)}
                  stroke={pointed === index ? 'var(--busy)' : 'none'}
                />
              );
            })}
          </g>
        ))}
      </svg>
      <Group justify="space-between" mt={6} gap="xs">
        <Text size="sm" className="numbers" mih={22}>
          {pointed === null
            ? ' '
            : `${fullTime(at(pointed))}: ${(rows[Math.floor(pointed / columns)]?.[pointed % columns] ?? 0).toLocaleString('en-GB')}`}
        </Text>
        <Scale most={most} />
      </Group>
    </div>
  );
}

/** Rows begin at a full hour, or at a day of the reader; what is before `from` is null. */
function gridOf({ counts, from, stepSeconds }: Forecast) {
  const columns = stepSeconds === 60 ? 60 : 24;
  const start = Date.parse(from);
  const date = new Date(start);
  const before = stepSeconds === 60 ? date.getMinutes() : date.getHours();
  const cells: (number | null)[] = [...new Array<null>(before).fill(null), ...counts];
  const rows: (number | null)[][] = [];
  for (let index = 0; index < cells.length; index += columns) {
    rows.push(cells.slice(index, index + columns));
  }
  const most = counts.reduce((high, count) => Math.max(high, count), 0);
  return { columns, rows, most, first: start - before * stepSeconds * 1_000 };
}

/** By the square root: a herd stands out, and a single firing is still seen. */
function shade(count: number, most: number): string {
  if (count === 0) return 'var(--heat-0)';
  return `var(--heat-${Math.max(1, Math.ceil(Math.sqrt(count / most) * (SHADES - 1)))})`;
}

function Scale({ most }: { most: number }) {
  return (
    <Group gap={3} aria-hidden>
      <Text size="xs" className="muted">
        0
      </Text>
      {Array.from({ length: SHADES }, (_, index) => index).map(index => (
        <div
          key={index}
          style={{ width: 16, height: 10, borderRadius: 2, background: `var(--heat-${index})` }}
        />
      ))}
      <Text size="xs" className="muted numbers">
        {most.toLocaleString('en-GB')}
      </Text>
    </Group>
  );
}
