import { angleOf, LATE_MS, type Landing, MOST_LATE_MS, radiusOf } from './wall-maths.ts';

/** Draws the face of the wall: rings of lateness, a hand, and a mark for each firing. */

export interface FaceColours {
  ok: string;
  late: string;
  bad: string;
  text: string;
  muted: string;
  line: string;
  core: string;
  ground: string;
}

export const FACE_COLOURS = [
  'ok',
  'late',
  'bad',
  'text',
  'muted',
  'line',
  'core',
  'ground',
] as const satisfies (keyof FaceColours)[];

export interface FaceScene {
  /** Px, of a square. */
  size: number;
  /** Newest first. */
  landings: readonly Landing[];
  /** Epoch ms by the service's clock: the hand shows it. */
  now: number;
  isCalm: boolean;
}

/** With their names. The rim is one more, without a name. */
const RINGS: [number, string][] = [
  [10, '10 ms'],
  [100, '100 ms'],
  [1_000, '1 s'],
  [10_000, '10 s'],
];
/** The middle belongs to the figure. */
const HOLE = 0.27;
export const FADE_MS = 60_000;
const RIPPLE_MS = 900;
const TURN = 2 * Math.PI;
const TRAIL_TURN = 0.2;

export function drawFace(
  context: CanvasRenderingContext2D,
  scene: FaceScene,
  colours: FaceColours,
): void {
  const { size } = scene;
  const middle = size / 2;
  const rim = middle * 0.9;
  const far = (lateMs: number) => rim * (HOLE + (1 - HOLE) * radiusOf(lateMs));
  context.clearRect(0, 0, size, size);
  context.save();
  context.translate(middle, middle);
  drawDial(context, { rim, far }, colours);
  drawHand(context, { rim, now: scene.now }, colours);
  drawLandings(context, { ...scene, far }, colours);
  drawRingNames(context, { rim, far }, colours);
  context.restore();
}

interface Dial {
  rim: number;
  far: (lateMs: number) => number;
}

function drawDial(context: CanvasRenderingContext2D, { rim, far }: Dial, colours: FaceColours) {
  const glow = context.createRadialGradient(0, 0, rim * HOLE * 0.4, 0, 0, rim);
  glow.addColorStop(0, colours.core);
  glow.addColorStop(1, colours.ground);
  context.fillStyle = glow;
  circle(context, 0, 0, rim);
  context.fill();
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  for (const radius of [rim * HOLE, ...RINGS.map(([lateMs]) => far(lateMs)), far(MOST_LATE_MS)]) {
    circle(context, 0, 0, radius);
    context.stroke();
  }
  context.font = `${fontPx(rim)}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let second = 0; second < 60; second += 1) {
    const [x, y] = at(second * 1_000, 1);
    const isFifth = second % 5 === 0;
    context.strokeStyle = isFifth ? colours.muted : colours.line;
    context.lineWidth = isFifth ? 1.5 : 1;
    const from = rim * (isFifth ? 0.975 : 0.985);
    line(context, x * from, y * from, x * rim, y * rim);
    if (!isFifth) continue;
    context.fillStyle = colours.muted;
    context.fillText(String(second).padStart(2, '0'), x * rim * 1.058, y * rim * 1.058);
  }
}

/** The hand, and its trail over the seconds that it has just passed. */
function drawHand(
  context: CanvasRenderingContext2D,
  { rim, now }: { rim: number; now: number },
  { ok, text }: FaceColours,
) {
  const angle = angleOf(now);
  const trail = context.createConicGradient(angle - TRAIL_TURN * TURN, 0, 0);
  // The same colour, without opacity: from the black of "transparent" it would be grey.
  trail.addColorStop(0, `${ok}00`);
  trail.addColorStop(TRAIL_TURN, ok);
  context.globalAlpha = 0.17;
  context.fillStyle = trail;
  context.beginPath();
  context.arc(0, 0, rim, angle - TRAIL_TURN * TURN, angle);
  context.arc(0, 0, rim * HOLE, angle, angle - TRAIL_TURN * TURN, true);
  context.fill();
  context.globalAlpha = 0.75;
  context.strokeStyle = text;
  context.lineWidth = 1.5;
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  line(context, x * rim * HOLE, y * rim * HOLE, x * rim, y * rim);
  context.globalAlpha = 1;
}

function drawLandings(
  context: CanvasRenderingContext2D,
  { landings, now, isCalm, size, far }: FaceScene & Pick<Dial, 'far'>,
  colours: FaceColours,
) {
  const unit = Math.max(2.2, size / 210);
  for (const landing of landings.toReversed()) {
    const ageMs = now - landing.endedAt;
    // The hand has not come to it yet.
    if (ageMs < 0) continue;
    const [x, y] = placeOf(landing, far);
    const share = ageMs / FADE_MS;
    const colour = colourOf(landing, colours);
    if (!isCalm && ageMs < RIPPLE_MS) {
      const grown = ageMs / RIPPLE_MS;
      context.globalAlpha = 0.55 * (1 - grown);
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      circle(context, x, y, unit * (1.5 + 4.5 * grown));
      context.stroke();
    }
    // A failure fades less: it is to be seen from across the room.
    context.globalAlpha = landing.hasFailed ? 1 - 0.55 * share : 0.14 + 0.86 * (1 - share) ** 1.6;
    drawMark(context, landing, { x, y, unit, colour });
  }
  context.globalAlpha = 1;
}

function colourOf({ hasFailed, lateMs }: Landing, { ok, late, bad }: FaceColours): string {
  if (hasFailed) return bad;
  return lateMs >= LATE_MS ? late : ok;
}

/** On time: a dot. Late: an open ring. Failed: a cross. Colour alone would not suffice. */
function drawMark(
  context: CanvasRenderingContext2D,
  { hasFailed, lateMs }: Landing,
  { x, y, unit, colour }: { x: number; y: number; unit: number; colour: string },
) {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = unit * 0.75;
  if (hasFailed) {
    const arm = unit * 1.35;
    line(context, x - arm, y - arm, x + arm, y + arm);
    line(context, x - arm, y + arm, x + arm, y - arm);
    return;
  }
  circle(context, x, y, lateMs >= LATE_MS ? unit * 1.3 : unit);
  if (lateMs >= LATE_MS) context.stroke();
  else context.fill();
}

/**
 * At the second at which it left, as far out as it was late.
 *
 * Firings of one second stand beside each other, within half a second: all of them leave in its first milliseconds.
 */
export function placeOf(
  { id, startedAt, lateMs }: Pick<Landing, 'id' | 'startedAt' | 'lateMs'>,
  far: (lateMs: number) => number,
): [number, number] {
  const [x, y] = at(startedAt + spreadMs(id), 1);
  const radius = far(lateMs);
  return [x * radius, y * radius];
}

const MOST_SPREAD_MS = 250;

/** The same for a run each time it is drawn. */
function spreadMs(id: string): number {
  let hash = 0;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return (((hash >>> 8) & 0xff) / 0xff - 0.5) * 2 * MOST_SPREAD_MS;
}

/** Above the dots, between the marks of two seconds. */
function drawRingNames(
  context: CanvasRenderingContext2D,
  { rim, far }: Dial,
  { muted, ground }: FaceColours,
) {
  context.font = `${fontPx(rim)}px system-ui, sans-serif`;
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = ground;
  context.fillStyle = muted;
  for (const [lateMs, name] of RINGS) {
    const [x, y] = at(52_500, far(lateMs));
    context.strokeText(name, x, y);
    context.fillText(name, x, y);
  }
}

function fontPx(rim: number): number {
  return Math.round(Math.min(22, Math.max(10, rim / 24)));
}

function at(instant: number, radius: number): [number, number] {
  const angle = angleOf(instant);
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

function circle(context: CanvasRenderingContext2D, x: number, y: number, radius: number) {
  context.beginPath();
  context.arc(x, y, radius, 0, TURN);
}

function line(
  context: CanvasRenderingContext2D,
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
) {
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
}
