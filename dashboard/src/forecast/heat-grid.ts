import type { Forecast } from '@punctual/client';
import { clockTime, dayName } from '../time/times.ts';

/** The cells of the forecast: hours by minute for a day, days by hour for a week. */
export interface HeatGrid {
  columns: number;
  /** Cells before the first step are null. */
  rows: (number | null)[][];
  /** The instant of the first cell, epoch ms. */
  first: number;
  stepMs: number;
}

/** Rows begin at a full hour, or at a day of the reader. */
export function heatGridOf({
  counts,
  from,
  stepSeconds,
}: Pick<Forecast, 'counts' | 'from' | 'stepSeconds'>): HeatGrid {
  const columns = stepSeconds === 60 ? 60 : 24;
  const stepMs = stepSeconds * 1_000;
  const start = Date.parse(from);
  const date = new Date(start);
  const before = stepSeconds === 60 ? date.getMinutes() : date.getHours();
  const cells: (number | null)[] = [...new Array<null>(before).fill(null), ...counts];
  const rows: (number | null)[][] = [];
  for (let index = 0; index < cells.length; index += columns) {
    rows.push(cells.slice(index, index + columns));
  }
  return { columns, rows, first: start - before * stepMs, stepMs };
}

/**
 * The hour of a row, or its day: also where a day begins among the hours, whose first and last are often the same.
 *
 * @param at the instant of its first cell, epoch ms
 */
export function rowName({ columns }: Pick<HeatGrid, 'columns'>, at: number): string {
  const hour = clockTime(at);
  return columns === 60 && hour !== '00:00' ? hour : dayName(at);
}

/** The count of a cell by its number; null where the grid has none. */
export function cellOf({ rows, columns }: HeatGrid, index: number): number | null {
  return rows[Math.floor(index / columns)]?.[index % columns] ?? null;
}

/** The number of the cell that has an instant, epoch ms; null where the grid has none. */
export function cellAt(grid: HeatGrid, at: number): number | null {
  const index = Math.floor((at - grid.first) / grid.stepMs);
  return index >= 0 && cellOf(grid, index) !== null ? index : null;
}

/** The number of the first cell. */
export function firstCell({ rows }: HeatGrid): number {
  return Math.max(0, rows[0]?.findIndex(count => count !== null) ?? 0);
}

/** The number of the cell with the most firings, the first of several. */
export function busiestCell({ rows }: HeatGrid): number {
  const cells = rows.flat().map(count => count ?? -1);
  return cells.indexOf(Math.max(...cells));
}

/** The cell that a key leads to, which is the same one at an edge; null: the key means nothing here. */
export function cellByKey(grid: HeatGrid, index: number, key: string): number | null {
  const { columns } = grid;
  const row = Math.floor(index / columns) * columns;
  const ends = () => {
    const cells = Array.from({ length: columns }, (_, column) => row + column);
    return cells.filter(each => cellOf(grid, each) !== null);
  };
  const targets: Record<string, () => number> = {
    ArrowLeft: () => index - 1,
    ArrowRight: () => index + 1,
    ArrowUp: () => index - columns,
    ArrowDown: () => index + columns,
    Home: () => ends()[0] ?? index,
    End: () => ends().at(-1) ?? index,
  };
  const target = targets[key]?.();
  if (target === undefined) return null;
  return target >= 0 && cellOf(grid, target) !== null ? target : index;
}
