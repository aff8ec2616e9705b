import { useEffect, useRef } from 'react';
import { drawFace, FACE_COLOURS, FADE_MS, type FaceColours } from './wall-drawing.ts';
import type { WallMemory } from './wall-memory.ts';

/** Older marks of a busy minute are under newer ones anyway. */
const MOST_MARKS = 1_500;
/** Events come once a second. A hand that is so far behind meets each firing where it lands. */
const BEHIND_MS = 1_500;
const FRAME_MS = 1_000 / 30;
const CALM_FRAME_MS = 1_000;
/** A slow machine draws less often: after a frame it rests this multiple of its length. */
const REST_SHARE = 5;

interface FaceProps {
  memory: WallMemory;
  scheme: 'dark' | 'light';
  /** The figures in words. */
  label: string;
}

/** The clock face. It draws as long as somebody sees the tab, and keeps nothing of its own. */
export function WallFace({ memory, scheme, label }: FaceProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the scheme
  useEffect(() => {
    const element = canvas.current!;
    const context = element.getContext('2d');
    if (context === null) return;
    const colours = coloursOf(element);
    const calm = matchMedia('(prefers-reduced-motion: reduce)');
    let againAt = Number.NEGATIVE_INFINITY;
    let frame = 0;
    const draw = (time: number) => {
      frame = requestAnimationFrame(draw);
      if (time < againAt && !isResized(element)) return;
      const begunAt = performance.now();
      const size = fit(element, context);
      const now = memory.serviceTime(Date.now()) - BEHIND_MS;
      const landings = memory.since(now - FADE_MS, MOST_MARKS);
      drawFace(context, { size, landings, now, isCalm: calm.matches }, colours);
      const frameMs = calm.matches ? CALM_FRAME_MS : FRAME_MS;
      againAt = time + Math.max(frameMs - 4, REST_SHARE * (performance.now() - begunAt));
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [memory, scheme]);
  return <canvas ref={canvas} role="img" aria-label={label} />;
}

/** @returns the size of the square, in CSS px */
function fit(element: HTMLCanvasElement, context: CanvasRenderingContext2D): number {
  if (isResized(element)) {
    element.width = pixelsOf(element);
    element.height = element.width;
  }
  const ratio = window.devicePixelRatio || 1;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return element.clientWidth;
}

function isResized(element: HTMLCanvasElement): boolean {
  return element.width !== pixelsOf(element);
}

function pixelsOf(element: HTMLCanvasElement): number {
  return Math.round(element.clientWidth * (window.devicePixelRatio || 1));
}

function coloursOf(element: Element): FaceColours {
  const style = getComputedStyle(element);
  const pairs = FACE_COLOURS.map(name => [name, style.getPropertyValue(`--wall-${name}`).trim()]);
  return Object.fromEntries(pairs) as FaceColours;
}
