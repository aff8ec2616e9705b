import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { clockTime } from '../times.ts';

export interface Series {
  name: string;
  /** The name of a colour of page.css. */
  tone: string;
  values: (number | null)[];
  /** Bars stand on each other in the order of the series; lines do not. */
  kind: 'bars' | 'line';
}

/** A chart over minutes. `label` and the cards around it say the same in words. */
export function MinuteChart({
  times,
  series,
  label,
  unit,
}: {
  /** Epoch ms, ascending. */
  times: number[];
  series: Series[];
  label: string;
  unit: (value: number) => string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme changes the colours
  useEffect(() => {
    const element = box.current!;
    const plot = new uPlot(
      optionsOf(element, series, unit),
      dataOf(times, series) as uPlot.AlignedData,
      element,
    );
    const resize = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [times, series, unit, scheme]);
  return <div ref={box} role="img" aria-label={label} style={{ minHeight: HEIGHT }} />;
}

const HEIGHT = 190;

function optionsOf(
  element: HTMLElement,
  series: Series[],
  unit: (value: number) => string,
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
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    legend: { show: false },
    padding: [8, 18, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
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

function dataOf(times: number[], series: Series[]): (number | null)[][] {
  const below = times.map(() => 0);
  const stacked = series.map(({ kind, values }) =>
    kind === 'line'
      ? values
      : values.map((value, index) => {
          below[index]! += value ?? 0;
          return below[index]!;
        }),
  );
  return [times.map(at => at / 1_000), ...stacked.reverse()];
}
