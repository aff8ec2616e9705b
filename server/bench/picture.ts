import { type Curve, ms, type Result, whole } from './result.ts';

/**
 * A result as a picture: which share of the firings had arrived how long after their nominal time.
 * It goes by the reader's choice of light or dark.
 */
const WIDTH = 720;
const HEIGHT = 340;
const LEFT = 56;
const RIGHT = 24;
const TOP = 64;
const BOTTOM = 62;
/** Curves that are named beside each other. */
const IN_A_ROW = 2;
const ROW = 20;
const MARKED = [0.5, 0.99];
const SHARES = [0, 0.25, 0.5, 0.75, 1];

const STYLE = `
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #57606a; }
  .title { font-size: 16px; font-weight: 600; fill: #1f2328; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .curve { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
  .c0 { stroke: #0969da; } .c1 { stroke: #cf222e; } .c2 { stroke: #1a7f37; } .c3 { stroke: #8250df; }
  .d0 { fill: #0969da; } .d1 { fill: #cf222e; } .d2 { fill: #1a7f37; } .d3 { fill: #8250df; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; } .title { fill: #f0f6fc; } .grid { stroke: #3d444d; }
    .c0 { stroke: #4493f8; } .c1 { stroke: #f85149; } .c2 { stroke: #3fb950; } .c3 { stroke: #ab7df8; }
    .d0 { fill: #4493f8; } .d1 { fill: #f85149; } .d2 { fill: #3fb950; } .d3 { fill: #ab7df8; }
  }`;

export function pictureOf({ scene, lateness }: Pick<Result, 'scene' | 'lateness'>): string {
  const curves = lateness.filter(({ points }) => points.length > 0);
  const count = curves.reduce((sum, curve) => sum + curve.count, 0);
  const decades = decadesOf(curves);
  const top = TOP + (Math.ceil(curves.length / IN_A_ROW) - 1) * ROW;
  const x = (value: number) =>
    LEFT + (Math.log10(Math.max(1, value)) / decades) * (WIDTH - LEFT - RIGHT);
  const y = (share: number) => HEIGHT - BOTTOM - share * (HEIGHT - top - BOTTOM);
  const title = `${scene}: lateness of ${whole(count)} firings`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>${STYLE}
</style>
<text class="title" x="${LEFT}" y="24">${title}</text>
${curves.map(legendOf).join('\n')}
${SHARES.map(share => shareLine(share, y(share))).join('\n')}
${Array.from({ length: decades + 1 }, (_, decade) => instantLine(10 ** decade, x(10 ** decade), top)).join('\n')}
${curves.map((curve, number) => drawn(curve, number, x, y)).join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">arrived at the target within this time of the nominal one</text>
</svg>
`;
}

type Scale = (value: number) => number;

/** The axis begins at 1 ms, and every power of ten has the same room. */
function decadesOf(curves: Curve[]): number {
  const most = Math.max(100, ...curves.map(({ points }) => points.at(-1)![1]));
  return Math.ceil(Math.log10(most) - 1e-9);
}

function drawn({ points }: Curve, number: number, x: Scale, y: Scale): string {
  const path = points.map(([share, at]) => `${round(x(at))},${round(y(share))}`).join(' ');
  const dots = MARKED.flatMap(marked => points.filter(([share]) => share === marked)).map(
    ([share, at]) =>
      `<circle class="d${number % 4}" cx="${round(x(at))}" cy="${round(y(share))}" r="4"/>`,
  );
  return `<polyline class="curve c${number % 4}" points="${path}"/>\n${dots.join('\n')}`;
}

/** Below the title. */
function legendOf({ name, points }: Curve, number: number): string {
  const at = (wanted: number) => ms(points.find(([share]) => share === wanted)![1]);
  const left = LEFT + ((number % IN_A_ROW) * (WIDTH - LEFT - RIGHT)) / IN_A_ROW;
  const down = 42 + Math.floor(number / IN_A_ROW) * ROW;
  const text = `${name}: p50 ${at(0.5)}, p99 ${at(0.99)}`;
  return `<circle class="d${number % 4}" cx="${round(left + 5)}" cy="${down}" r="5"/><text x="${round(left + 16)}" y="${down + 4}">${text}</text>`;
}

function shareLine(share: number, at: number): string {
  return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(at)}" y2="${round(at)}"/><text x="${LEFT - 8}" y="${round(at + 4)}" text-anchor="end">${share * 100} %</text>`;
}

function instantLine(value: number, at: number, top: number): string {
  const label = value >= 1_000 ? `${value / 1_000} s` : `${value} ms`;
  return `<line class="grid" x1="${round(at)}" x2="${round(at)}" y1="${top}" y2="${HEIGHT - BOTTOM}"/><text x="${round(at)}" y="${HEIGHT - BOTTOM + 22}" text-anchor="middle">${label}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
