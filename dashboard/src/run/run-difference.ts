import type { Attempt, Run, RunRequest } from '@punctual/client';
import { span } from '../time/times.ts';

/** The differences between a run and the last one that succeeded, as people read them. */

export interface ComparedRun {
  run: Run;
  request: RunRequest;
}

export interface Difference {
  name: string;
  /** Of the run that succeeded. */
  before: string;
  after: string;
}

export function differencesOf(good: ComparedRun, bad: ComparedRun): Difference[] {
  const [was, is] = [lastOf(good.run), lastOf(bad.run)];
  return [
    ...differing('Result', resultOf(was), resultOf(is)),
    ...durationDifference(was, is),
    ...differing('Version', versionOf(good.request), versionOf(bad.request)),
    ...requestDifferences(good.request, bad.request),
    ...namedDifferences('Answer header', was?.responseHeaders, is?.responseHeaders),
    ...differing('Answer body', bodyOf(was?.responseBody), bodyOf(is?.responseBody)),
  ];
}

function requestDifferences(good: RunRequest, bad: RunRequest): Difference[] {
  if (good.request === undefined || bad.request === undefined) return [];
  const [was, is] = [good.request, bad.request];
  const isOfEachRun = (name: string) => OF_EACH_RUN.includes(name.toLowerCase());
  const own = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfEachRun(name)));
  return [
    ...differing('Method', was.method, is.method),
    ...differing('Url', was.url, is.url),
    ...namedDifferences('Header', own(was.headers), own(is.headers)),
    ...differing('Body', bodyOf(was.body), bodyOf(is.body)),
  ];
}

/** They differ in any two runs. */
const OF_EACH_RUN = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'punctual-scheduled-for',
  'punctual-attempt',
  'punctual-fence',
  'punctual-completion-url',
  'date',
];

function namedDifferences(
  name: string,
  before: Record<string, string> = {},
  after: Record<string, string> = {},
): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter(each => !OF_EACH_RUN.includes(each.toLowerCase()))
    .flatMap(each => differing(`${name} ${each}`, before[each] ?? NONE, after[each] ?? NONE));
}

/** A duration differs where a person would say so. */
function durationDifference(was: Attempt | undefined, is: Attempt | undefined): Difference[] {
  const [before, after] = [was?.durationMs, is?.durationMs];
  if (before === undefined || after === undefined) return [];
  const isAlike = Math.max(before, after) < 2 * Math.min(before, after) + 10;
  return isAlike ? [] : [{ name: 'Duration', before: span(before), after: span(after) }];
}

function differing(name: string, before: string, after: string): Difference[] {
  return before === after ? [] : [{ name, before, after }];
}

function lastOf({ attempts }: Run): Attempt | undefined {
  return attempts.at(-1);
}

function resultOf(attempt: Attempt | undefined): string {
  if (attempt === undefined) return NONE;
  const { responseStatus, outcome } = attempt;
  return responseStatus === undefined ? outcome : `status ${responseStatus}`;
}

function versionOf({ version }: RunRequest): string {
  return version === undefined ? 'not known' : String(version);
}

const NONE = 'none';
const MOST_SHOWN = 200;

function bodyOf(body: string | undefined): string {
  if (body === undefined || body === '') return NONE;
  return body.length > MOST_SHOWN ? `${body.slice(0, MOST_SHOWN)}…` : body;
}
