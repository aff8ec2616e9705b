import type { Bands, Run, ScheduleBand } from '@punctual/client';
import type { TimeWindow } from '../time/time-window.ts';
import { type ClockMark, partsOf, type Step } from './timeline.ts';

/** Draws the lane of one schedule: bands below, then steps, single runs, and marks. */

export interface Colours {
  ok: string;
  bad: string;
  warn: string;
  busy: string;
  quiet: string;
  odd: string;
  line: string;
  ground: string;
  muted: string;
}

export interface Scene {
  width: number;
  height: number;
  window: TimeWindow;
  now: number;
  steps: Step[];
  /** Since when results are counted, epoch ms. */
  countedFrom: number;
  /** Drawn one by one, where the zoom is deep enough. */
  runs?: Run[];
  /** Runs that have not ended. */
  going?: Run[];
  bands?: Bands;
  clocks?: ClockMark[];
}

const TONE: Record<string, keyof Colours> = {
  succeeded: 'ok',
  failed: 'bad',
  missed: 'odd',
  skipped: 'quiet',
  retrying: 'warn',
};
/** A band of one second is seen, too. */
const LEAST_PX = 2.5;
const HATCH_PX = 6;

export function drawLane(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { width, height, window, countedFrom } = scene;
  const x = (at: number) => ((at - window.from) / (window.to - window.from)) * width;
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.ground;
  context.beginPath();
  context.roundRect(0, 0, width, height, 5);
  context.fill();
  context.save();
  context.clip();
  for (const band of scene.bands?.bands ?? []) drawBand(context, scene, x, colours, band);
  if (countedFrom > window.from) {
    hatch(context, 0, Math.min(width, x(countedFrom)), height, colours.line);
  }
  for (const step of scene.steps) drawStep(context, scene, x, colours, step);
  for (const run of scene.runs ?? []) drawRun(context, scene, x, colours, run);
  for (const { scheduledFor, status } of scene.going ?? []) {
    context.fillStyle = colours[TONE[status] ?? 'busy'];
    context.fillRect(x(Date.parse(scheduledFor)) - 2, 3, 4, height - 6);
  }
  for (const { at } of scene.clocks ?? []) drawLine(context, x(at), height, colours.warn, [2, 3]);
  for (const { at } of scene.bands?.edits ?? [])
    drawEdit(context, x(Date.parse(at)), height, colours);
  context.restore();
  context.strokeStyle = colours.line;
  context.beginPath();
  context.roundRect(0.5, 0.5, width - 1, height - 1, 5);
  context.stroke();
  drawLine(context, x(scene.now), height, colours.busy, []);
}

type Place = (at: number) => number;

/** A failure is taller as well, since colour alone does not suffice. */
function drawStep(
  context: CanvasRenderingContext2D,
  { height, now, width, runs }: Scene,
  x: Place,
  colours: Colours,
  step: Step,
): void {
  const [left, right] = [x(step.at), x(step.to)];
  if (right < 0 || left > width) return;
  const gap = right - left > 4 ? 1 : 0;
  const parts = runs === undefined ? partsOf(step) : [];
  const isBad = step.failed + step.missed > 0;
  const isSkipped = parts.length === 1 && parts[0]!.status === 'skipped';
  const inset = height * (isBad ? 0.04 : isSkipped ? 0.34 : 0.16);
  // In the step that now lies in, results end at now.
  const seam = step.at <= now && now < step.to ? x(now) : right;
  let y = inset;
  for (const { status, share } of parts) {
    const part = share * (height - 2 * inset);
    context.fillStyle = colours[TONE[status]!];
    context.fillRect(left, y, Math.max(LEAST_PX, seam - left - gap), part);
    y += part;
  }
  if (step.due === 0) return;
  const from = Math.max(left, x(now));
  context.globalAlpha = 0.4;
  context.fillStyle = colours.muted;
  const dueInset = height * 0.3;
  context.fillRect(from, dueInset, Math.max(LEAST_PX, right - from - gap), height - 2 * dueInset);
  context.globalAlpha = 1;
}

/** The due time as a line, and the span from the first attempt to the end as a bar. */
function drawRun(
  context: CanvasRenderingContext2D,
  { height, now }: Scene,
  x: Place,
  colours: Colours,
  run: Run,
): void {
  const due = x(Date.parse(run.scheduledFor));
  const tone = colours[TONE[run.status] ?? 'busy'];
  const isUnsent = run.startedAt === undefined;
  context.fillStyle = tone;
  context.fillRect(
    due - 0.75,
    isUnsent ? height * 0.3 : 2,
    1.5,
    isUnsent ? height * 0.4 : height - 4,
  );
  if (isUnsent) return;
  const started = x(Date.parse(run.startedAt!));
  const ended = x(run.finishedAt === undefined ? now : Date.parse(run.finishedAt));
  context.globalAlpha = 0.35;
  context.fillRect(due, height * 0.45, Math.max(0, started - due), height * 0.1);
  context.globalAlpha = 1;
  context.fillRect(started, height * 0.22, Math.max(LEAST_PX, ended - started), height * 0.56);
}

function drawBand(
  context: CanvasRenderingContext2D,
  { width, height }: Scene,
  x: Place,
  colours: Colours,
  band: ScheduleBand,
): void {
  const left = Math.max(0, x(Date.parse(band.from)));
  const right = Math.min(width, Math.max(left + LEAST_PX, x(Date.parse(band.to))));
  if (right <= 0 || left >= width) return;
  const isFault = band.kind === 'down' || band.kind === 'busy';
  const tone = isFault ? colours.odd : band.kind === 'halted' ? colours.warn : colours.quiet;
  context.globalAlpha = 0.14;
  context.fillStyle = tone;
  context.fillRect(left, 0, right - left, height);
  context.globalAlpha = 0.35;
  hatch(context, left, right, height, tone);
  context.globalAlpha = 1;
}

function hatch(
  context: CanvasRenderingContext2D,
  left: number,
  right: number,
  height: number,
  colour: string,
): void {
  if (right <= left) return;
  context.save();
  context.beginPath();
  context.rect(left, 0, right - left, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  const start = Math.floor((left - height) / HATCH_PX) * HATCH_PX;
  for (let at = start; at < right; at += HATCH_PX) {
    context.moveTo(at, height);
    context.lineTo(at + height, 0);
  }
  context.stroke();
  context.restore();
}

function drawEdit(
  context: CanvasRenderingContext2D,
  at: number,
  height: number,
  { busy }: Colours,
): void {
  context.fillStyle = busy;
  context.beginPath();
  context.moveTo(at - 5, 0);
  context.lineTo(at + 5, 0);
  context.lineTo(at, 7);
  context.fill();
  drawLine(context, at, height, busy, [1, 3]);
}

function drawLine(
  context: CanvasRenderingContext2D,
  at: number,
  height: number,
  colour: string,
  dash: number[],
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(at, 0);
  context.lineTo(at, height);
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 1;
}
