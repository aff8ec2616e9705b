import { Text } from '@mantine/core';
import type { Run } from '@punctual/client';
import { span, useNow } from '../time/times.ts';
import {
  type AxisPiece,
  axisOf,
  placeOf,
  SPAN_NAMES,
  type TraceRow,
  type TraceSpan,
  traceOf,
} from './run-trace.ts';

/** A run on one axis, from its due time to its end. */
export function RunTrace({ run }: { run: Run }) {
  const now = useNow(500);
  const rows = traceOf(run, now);
  if (rows.length === 0) return null;
  const axis = axisOf(rows);
  const [first, last] = [axis[0], axis.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <table className="trace" aria-label="Trace">
      <caption className="muted">
        From due to end: {span(last.to - first.from)}
        {axis.some(({ isShort }) => isShort) && '. Long waits are drawn short.'}
      </caption>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two waits have one name, and rows keep their places
          <Row key={`${row.name} ${index}`} row={row} axis={axis} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, axis }: { row: TraceRow; axis: AxisPiece[] }) {
  const { name, result, spans, isFailed } = row;
  const ms = spans.at(-1)!.to - spans[0]!.from;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="trace-bars">
        <div aria-hidden>
          {axis
            .filter(({ isShort }) => isShort)
            .map(piece => (
              <i
                key={piece.start}
                className="trace-short"
                style={placed(piece.start, piece.width)}
              />
            ))}
          {spans.map(each => (
            <Bar key={each.kind} span={each} axis={axis} />
          ))}
        </div>
      </td>
      <td className="numbers">
        {result && (
          <Text span size="xs" {...(isFailed && { c: 'var(--bad)' })}>
            {result}{' '}
          </Text>
        )}
        {span(ms)}
      </td>
    </tr>
  );
}

function Bar({ span: each, axis }: { span: TraceSpan; axis: AxisPiece[] }) {
  const { kind, from, to } = each;
  const start = placeOf(axis, from);
  return (
    <b
      data-kind={kind}
      title={`${SPAN_NAMES[kind]} ${span(to - from)}`}
      style={placed(start, placeOf(axis, to) - start)}
    />
  );
}

function placed(start: number, width: number) {
  return { left: `${start * 100}%`, width: `${width * 100}%` };
}
