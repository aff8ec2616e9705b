import { whole } from '../parts/numbers.ts';
import { span } from '../time/times.ts';
import { BIN_COUNT, LATE_MS, radiusOf, startOfBin, type WallFigures } from './wall-maths.ts';

const EDGES: [number, string][] = [
  [0, '1 ms'],
  [4, '10 ms'],
  [8, '100 ms'],
  [12, '1 s'],
  [16, '10 s'],
];
const HEIGHT = 100;

/** How many firings were how late, on the same axis as the rings of the face. */
export function WallHistogram({ figures: { bins, late } }: { figures: WallFigures }) {
  const highest = Math.max(1, ...bins);
  return (
    <div className="wall-histogram" role="img" aria-label={wordsOf(bins)}>
      <svg viewBox={`0 0 ${BIN_COUNT} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bins.map((count, bin) => {
          const height = count === 0 ? 0 : Math.max(1.5, (count / highest) * HEIGHT);
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
              key={bin}
              className={startOfBin(bin) >= LATE_MS ? 'wall-late' : undefined}
              x={bin + 0.09}
              width={0.82}
              y={HEIGHT - height}
              height={height}
            />
          );
        })}
      </svg>
      {late && <Mark name="p50" lateMs={late.p50} />}
      {late && late.p99 > late.p50 && <Mark name="p99" lateMs={late.p99} />}
      <div className="wall-axis" aria-hidden="true">
        {EDGES.map(([bin, name]) => (
          <span key={name} style={{ left: `${(bin / BIN_COUNT) * 100}%` }}>
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

function Mark({ name, lateMs }: { name: string; lateMs: number }) {
  const place = (radiusOf(lateMs) * (BIN_COUNT - 1)) / BIN_COUNT;
  return (
    <span className="wall-mark" style={{ left: `${place * 100}%` }} aria-hidden="true">
      {name}
    </span>
  );
}

/** Bins of a factor of ten each, which is as fine as one listens. */
function wordsOf(bins: number[]): string {
  const parts = EDGES.flatMap(([first], index) => {
    const end = EDGES[index + 1]?.[0] ?? BIN_COUNT;
    const count = bins.slice(first, end).reduce((sum, each) => sum + each, 0);
    if (count === 0) return [];
    const to = end === BIN_COUNT ? 'and more' : `to ${span(startOfBin(end))}`;
    return [`${whole(count)} from ${span(first === 0 ? 0 : startOfBin(first))} ${to}`];
  });
  return parts.length === 0 ? 'No firings to count' : `Firings by lateness: ${parts.join(', ')}`;
}
