import type { TestFileEvent } from './test-events.ts';

/** Judges test files by the events of their process, and by its end. */

export interface FileOutcome {
  file: string;
  /** Of its process, or of itself where it shared one. */
  durationMs: number;
  tests: number;
  passed: number;
  /** Why tests were skipped, one reason each. */
  skipped: string[];
  /** Why the file failed: the first failure, or what became of its process. */
  failure: { test: string; message: string } | null;
  /** All that its process wrote, with the first outcome of a batch that failed. */
  output: string;
}

/** How a process ended: by itself with this code, by this signal, or by its bound. */
export type ProcessEnd = { code: number } | { signal: string } | { boundMs: number };

/** The end of a process of test files. */
export interface Ended {
  output: string;
  end: ProcessEnd;
  durationMs: number;
}

/**
 * Judges the files of one process.
 *
 * @returns one outcome for each file that began, and for one at least
 */
export function outcomesIn(
  batch: string[],
  events: TestFileEvent[],
  { output, end, durationMs }: Ended,
): FileOutcome[] {
  if (batch.length === 1) return [{ file: batch[0]!, durationMs, output, ...judged(events, end) }];
  const parts = partsOf(events);
  const begun = batch.slice(0, Math.max(1, parts.length));
  const areOver = parts.length === batch.length && parts.every(part => part.isOver);
  const outcomes = begun.map((file, index): FileOutcome => {
    const { isOver, events, durationMs } = parts[index] ?? NOTHING;
    return { file, durationMs, output: '', ...judged(events, isOver ? WELL : end) };
  });
  // Any of them may keep the process up, or break it as it ends: each is asked alone.
  const isUnclear = areOver && !('code' in end && end.code === 0) && !outcomes.some(isFailed);
  const all = isUnclear
    ? outcomes.map(each => ({ ...each, failure: failureOf([], end) }))
    : outcomes;
  const first = all.findIndex(isFailed);
  return all.map((each, index) => (index === first ? { ...each, output } : each));
}

const isFailed = ({ failure }: FileOutcome) => failure !== null;
const WELL: ProcessEnd = { code: 0 };
const NOTHING: Part = { events: [], isOver: false, durationMs: 0 };

/** The events of a file of a batch, without the suite that holds it. */
interface Part {
  events: TestFileEvent[];
  isOver: boolean;
  durationMs: number;
}

function partsOf(events: TestFileEvent[]): Part[] {
  const parts: Part[] = [];
  for (const event of events) {
    const part = parts.at(-1);
    if (event.type === 'fail') {
      const isOfFile = part?.isOver && part.events.at(-1)?.type !== 'fail';
      part?.events.push(isOfFile ? { ...event, name: FILE } : event);
    } else if (event.nesting > 0) part?.events.push(event);
    else if (event.type === 'begin') parts.push({ ...NOTHING, events: [] });
    else Object.assign(part!, { isOver: true, durationMs: event.durationMs });
  }
  return parts;
}

/** It stands where a test is named, if none is at fault. */
const FILE = '(the file)';

/** The last line may be cut: its process was killed. */
export function eventsIn(text: string): TestFileEvent[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map(line => JSON.parse(line));
}

function judged(events: TestFileEvent[], end: ProcessEnd) {
  const ends = events.filter(event => event.type === 'end');
  const tests = ends.filter(({ isTest }) => isTest);
  return {
    tests: tests.length,
    passed: tests.filter(({ result }) => result === 'passed').length,
    skipped: ends.flatMap(({ result }) =>
      typeof result === 'object' ? [result.skippedBecause] : [],
    ),
    failure: failureOf(events, end),
  };
}

function failureOf(events: TestFileEvent[], end: ProcessEnd): FileOutcome['failure'] {
  const failed = events.find(event => event.type === 'fail');
  if (failed !== undefined) return { test: failed.name, message: failed.message };
  const open = goingOn(events);
  const test = open ?? FILE;
  if ('boundMs' in end)
    return { test, message: `Its process went on for ${end.boundMs / 1_000} s, and was killed.` };
  if ('signal' in end) return { test, message: `Its process was ended by ${end.signal}.` };
  if (end.code !== 0 || open !== undefined)
    return { test, message: `Its process ended with ${end.code}.` };
  return events.length > 0 ? null : { test, message: 'It has no tests.' };
}

/** The test that had begun last among those that did not end. */
function goingOn(events: TestFileEvent[]): string | undefined {
  const open: { name: string; nesting: number }[] = [];
  for (const event of events) {
    if (event.type === 'begin') open.push(event);
    if (event.type !== 'end') continue;
    const at = open.findIndex(
      ({ name, nesting }) => name === event.name && nesting === event.nesting,
    );
    if (at !== -1) open.splice(at, 1);
  }
  return open.at(-1)?.name;
}
