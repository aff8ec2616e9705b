import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

/** Reporter of node:test: tells test-runner.ts by which events it judges a file, as a line of JSON each. */

export type TestFileEvent =
  | { type: 'begin'; name: string; nesting: number }
  | {
      type: 'end';
      name: string;
      nesting: number;
      isTest: boolean;
      durationMs: number;
      result: Result;
    }
  | { type: 'fail'; name: string; message: string };

type Result = 'passed' | 'failed' | { skippedBecause: string };

/** The runner opens it. A line that was written there is kept, however the process ends. */
const EVENTS_FD = 3;

// biome-ignore lint/correctness/useYield: a reporter is a generator, and this one shows nothing
export default async function* testEvents(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  for await (const event of source) {
    for (const each of eventsOf(event)) writeSync(EVENTS_FD, `${JSON.stringify(each)}\n`);
  }
}

function eventsOf({ type, data }: TestEvent): TestFileEvent[] {
  if (type === 'test:dequeue') return [{ type: 'begin', name: data.name, nesting: data.nesting }];
  if (type !== 'test:complete') return [];
  const { name, nesting, details } = data;
  const { error } = details;
  const skip = data.skip ?? false;
  const result = error
    ? 'failed'
    : skip === false
      ? 'passed'
      : { skippedBecause: skip === true ? name : skip };
  const end: TestFileEvent = {
    type: 'end',
    name,
    nesting,
    isTest: details.type !== 'suite',
    durationMs: details.duration_ms,
    result,
  };
  // A suite fails because a test in it did, which has told its own message.
  if (error === undefined || isOfSubtests(error)) return [end];
  const { cause } = error;
  const message = cause instanceof Error ? cause.message : String(cause ?? error.message);
  return [end, { type: 'fail', name, message }];
}

const isOfSubtests = (error: Error & { failureType?: string }) =>
  error.failureType === 'subtestsFailed';
