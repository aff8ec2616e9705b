import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { clockTime } from '../time/times.ts';
import { barsOf, decadesIn, paddedRange, powersOfTen } from './chart-data.ts';

export interface Series {
  name: string;
  /** The name of a colour of styles/colours.css. */
  tone: string;
  values: (number | null)[];
  /** Bars stand on each other in the order of the series; lines do not. */
  kind: 'bars' | 'line';
}

interface MinuteChartProps {
  /** Epoch ms, ascending. */
  times: number[];
  series: Series[];
  label: string;
  unit: (value: number) => string;
  /** Values from 1 on, on a scale on which ten times as much is as far everywhere. */
  isLog?: boolean;
  /** A minute was chosen, by a click or by Enter. */
  onMinute: (at: number) => void;
}

const HEIGHT = 190;

/**
 * A chart over minutes. The pointer, or the arrow keys, show the values of a minute. `label` and the cards around it say
 * the same in words.
 */
export function MinuteChart({
  times,
  series,
  label,
  unit,
  isLog = false,
  onMinute,
}: MinuteChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const isPointed = useRef(false);
  const [shown, setShown] = useState<number | null>(null);
  const latest = useRef({ times, unit, onMinute });
  latest.current = { times, unit, onMinute };
  const scheme = useComputedColorScheme('light');
  const form = series.map(({ name, tone, kind }) => `${name} ${tone} ${kind}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form says the rest; new values are set below
  useEffect(() => {
    const element = box.current!;
    const options = optionsOf(element, series, value => latest.current.unit(value), isLog);
    // New values move the cursor of the chart to nowhere, and a minute that keys have chosen stays.
    const point = ({ idx }: uPlot.Cursor) => isPointed.current && setShown(idx ?? null);
    options.hooks = { setCursor: [({ cursor }) => point(cursor)] };
    const made = new uPlot(options, dataOf(times, series, isLog), element);
    plot.current = made;
    const choose = () => {
      const at = latest.current.times[made.cursor.idx ?? -1];
      if (at !== undefined) latest.current.onMinute(at);
    };
    made.over.addEventListener('click', choose);
    const resize = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    resize.observe(element);
    return () => {
      resize.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [scheme, form, isLog]);
  useEffect(() => {
    plot.current?.setData(dataOf(times, series, isLog));
  }, [times, series, isLog]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setShown(before => within((before ?? times.length) + step, times.length));
    }
    const at = shown === null ? undefined : times[shown];
    if (event.key === 'Enter' && at !== undefined) onMinute(at);
  };
  const minute = shown === null ? undefined : times[shown];
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element is a chart that keys move in
    <div
      className="chart"
      role="group"
      aria-label={`${label} The arrow keys show one minute after the other, Enter shows its runs.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys above move in it
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setShown(null)}
      onPointerEnter={() => {
        isPointed.current = true;
      }}
      onPointerLeave={() => {
        isPointed.current = false;
        setShown(null);
      }}
    >
      <div ref={box} aria-hidden style={{ minHeight: HEIGHT }} />
      <p className="chart-values numbers" role="status">
        {minute === undefined || shown === null
          ? ''
          : `${clockTime(minute)}: ${valuesText(series, shown, unit)}`}
      </p>
    </div>
  );
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

function within(index: number, length: number): number {
  return Math.max(0, Math.min(length - 1, index));
}

function valuesText(series: Series[], index: number, unit: (value: number) => string): string {
  const told = series.flatMap(({ name, values }) => {
    const value = values[index];
    return value === null || value === undefined || value === 0 ? [] : [`${name} ${unit(value)}`];
  });
  return told.length === 0 ? 'nothing' : told.join(', ');
}

function optionsOf(
  element: HTMLElement,
  series: Series[],
  unit: (value: number) => string,
  isLog: boolean,
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: colour('muted'), font, ticks: { show: false } };
  // The last of the stack is drawn first, so that the others stand before it.
  const drawn = [...series].reverse();
  return {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    legend: { show: false },
    padding: [8, 18, 0, 0],
    scales: {
      x: { range: (_plot, low, high) => paddedRange(low, high) },
      y: isLog
        ? { distr: 3, range: (_plot, low, high) => powersOfTen(low, high) }
        : { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        values: (_plot, ticks) => ticks.map(at => clockTime(at * 1_000)),
      },
      {
        ...axis,
        size: 54,
        grid: { stroke: colour('line'), width: 1 },
        // The eight lines within a decade are left out: they would be darker than what is drawn.
        ...(isLog && { splits: (_plot, _axis, low, high) => decadesIn(low, high) }),
        values: (_plot, ticks) => ticks.map(unit),
      },
    ],
    series: [
      {},
      ...drawn.map(({ kind, tone, name }) => ({
        label: name,
        stroke: colour(tone),
        width: kind === 'line' ? 2 : 0,
        points: { show: kind === 'line', size: 4, fill: colour(tone) },
        spanGaps: true,
        ...(kind === 'bars' && {
          fill: colour(tone),
          paths: uPlot.paths.bars!({ size: [0.8, 22] }),
        }),
      })),
    ],
  };
}

function dataOf(times: number[], series: Series[], isLog: boolean): uPlot.AlignedData {
  return [times.map(at => at / 1_000), ...barsOf(series, isLog).reverse()] as uPlot.AlignedData;
}
