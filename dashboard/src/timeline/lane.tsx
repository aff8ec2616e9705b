import { useComputedColorScheme } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import { type Colours, drawLane, type Scene } from './lane-drawing.ts';

const NAMES = ['ok', 'bad', 'warn', 'busy', 'quiet', 'odd', 'line', 'ground', 'muted'] as const;

/** The lane of one schedule, drawn. */
export function Lane({ label, ...scene }: Scene & { label: string }) {
  const scheme = useComputedColorScheme('light');
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useRef<{ scheme: string; of: Colours } | null>(null);
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || scene.width <= 0) return;
    if (colours.current?.scheme !== scheme) colours.current = { scheme, of: coloursOf(element) };
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [scene.width * ratio, scene.height * ratio].map(Math.round);
    if (element.width !== width || element.height !== height) {
      element.width = width!;
      element.height = height!;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawLane(context, scene, colours.current.of);
  });
  return (
    <canvas ref={canvas} className="lane" role="img" aria-label={label} height={scene.height} />
  );
}

function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const pairs = NAMES.map(name => [name, style.getPropertyValue(`--${name}`).trim()]);
  return Object.fromEntries(pairs) as Colours;
}
