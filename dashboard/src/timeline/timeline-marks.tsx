import { Text } from '@mantine/core';
import type { BandKind, Bands } from '@punctual/client';
import type { TimeWindow } from '../time/time-window.ts';
import { fullTime, shortTime, withTimesIn } from '../time/times.ts';
import { type ClockMark, clockText, type Step } from './timeline.ts';

/** The contents of a timeline in words: the bands and marks of its window, and its steps as a table. */

const BAND_WORDS: Record<BandKind, string> = {
  notCreated: 'Not created yet',
  deleted: 'Deleted',
  completed: 'Completed',
  beforeStart: 'Before its start',
  afterEnd: 'After its end',
  paused: 'Paused',
  down: 'Punctual was not running',
  halted: 'Punctual was paused',
  suspended: 'The client was suspended',
  busy: 'Too busy',
};
const BAND_TONES: Partial<Record<BandKind, string>> = {
  down: 'odd',
  busy: 'odd',
  halted: 'warn',
  deleted: 'bad',
};
const MOST_MARKS = 6;
const MOST_ROWS = 200;

export function TimelineMarks({
  window,
  bands,
  clocks,
  timezone,
}: {
  window: TimeWindow;
  bands: Bands | undefined;
  clocks: ClockMark[];
  timezone: string;
}) {
  const marks = [
    ...(bands?.bands ?? []).map(({ kind, from, to, sentence }) => ({
      at: Date.parse(from),
      to: Date.parse(to),
      tone: BAND_TONES[kind] ?? 'quiet',
      name: BAND_WORDS[kind],
      sentence,
    })),
    ...(bands?.edits ?? []).map(({ at, sentence }) => ({
      ...{ at: Date.parse(at), to: Date.parse(at) + 1, tone: 'busy', name: 'Edited', sentence },
    })),
    ...clocks.map(mark => ({
      ...{ at: mark.at, to: mark.at + 1, tone: 'warn', name: 'Daylight saving' },
      sentence: clockText(mark),
    })),
  ]
    .filter(({ at, to }) => at < window.to && to > window.from)
    .sort((a, b) => b.at - a.at);
  if (marks.length === 0) return null;
  return (
    <ul className="marks" aria-label="In this window">
      {marks.slice(0, MOST_MARKS).map(({ at, tone, name, sentence }) => (
        <li key={`${at} ${name}`}>
          <span className={`status tone-${tone}`}>{name}</span>{' '}
          <span className="muted numbers">{shortTime(Math.max(at, window.from), timezone)}</span>{' '}
          <span className="muted wrap">{withTimesIn(timezone, sentence)}</span>
        </li>
      ))}
      {marks.length > MOST_MARKS && (
        <li className="muted">And {marks.length - MOST_MARKS} more: zoom in to see them.</li>
      )}
    </ul>
  );
}

const COLUMNS = ['succeeded', 'failed', 'skipped', 'missed'] as const;

/** The steps of the window, newest first. */
export function StepTable({ steps, timezone }: { steps: Step[]; timezone: string }) {
  const rows = steps.toReversed().slice(0, MOST_ROWS);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: by keyboard it could not be scrolled */}
      <section className="table-scroll" tabIndex={0} aria-label="The timeline as a table">
        <table className="rows times">
          <caption className="muted">
            By the clock of {timezone}
            {steps.length > MOST_ROWS && `; the newest ${MOST_ROWS} of ${steps.length} steps`}
          </caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              {COLUMNS.map(name => (
                <th key={name} scope="col">
                  {name[0]!.toUpperCase() + name.slice(1)}
                </th>
              ))}
              <th scope="col">To come</th>
            </tr>
          </thead>
          <tbody className="numbers">
            {rows.map(step => (
              <tr key={step.at}>
                <th scope="row">{fullTime(step.at, timezone)}</th>
                <td>{shortTime(step.to, timezone)}</td>
                {COLUMNS.map(name => (
                  <td key={name}>{step[name].toLocaleString('en-GB')}</td>
                ))}
                <td>{step.due.toLocaleString('en-GB')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length === 0 && (
        <Text size="sm" className="muted">
          Nothing ran in this window, and nothing is to come.
        </Text>
      )}
    </>
  );
}
