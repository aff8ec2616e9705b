import type { Evidence } from '../evidence.ts';
import type { CountedSeen } from '../evidence-of-counts.ts';
import type { Tell } from './rule.ts';
import { iso, type ScheduleView, type View } from './view.ts';

/** The firings to come that callers were told, against the times that the schedules had then. */

/** A schedule is there for those who count so long after its create, however slow the store was. */
const CREATED_MS = 10_000;

interface Forecast {
  askedAt: number;
  answeredAt: number;
  figures: Extract<CountedSeen['figures'], { kind: 'forecast' }>;
}

export function checkForecasts({ counted = [], clients = [] }: Evidence, view: View, tell: Tell) {
  const [first] = clients;
  // The first client asks, for what is its own.
  const own = view.schedules.filter(({ seen }) => seen.client === first?.id);
  for (const { figures, ...when } of counted) {
    if (figures.kind === 'forecast') checkForecast({ figures, ...when }, own, view, tell);
  }
}

function checkForecast(forecast: Forecast, own: ScheduleView[], view: View, tell: Tell): void {
  const { askedAt, figures } = forecast;
  const sum = figures.counts.reduce((all, count) => all + count, 0);
  const differs = (what: string, said: number, right: string) =>
    tell('forecastDiffers', `At ${iso(askedAt)} ${what} had ${said} firings, and not ${right}.`);
  if (sum !== figures.firings) differs('the forecast', figures.firings, `${sum}`);
  const possible = own.map(schedule => versionsAt(schedule, forecast, view));
  for (const [from, count] of judgedSteps(forecast, own)) {
    const to = from + figures.stepMs;
    const ranges = possible.map(versions => rangeOf(versions, from, to));
    const least = ranges.reduce((all, range) => all + range.least, 0);
    const most = ranges.reduce((all, range) => all + range.most, 0);
    if (count < least || count > most)
      differs(`the step ${iso(from)}`, count, least === most ? `${least}` : `${least} to ${most}`);
  }
}

/** Those that had not begun, as far as the calendar looks ahead. */
function judgedSteps({ answeredAt, figures }: Forecast, own: ScheduleView[]): [number, number][] {
  const { from, stepMs, counts } = figures;
  const until = Math.min(...own.map(({ knownUntil }) => knownUntil));
  return counts
    .map((count, index): [number, number] => [from + index * stepMs, count])
    .filter(([at]) => at > answeredAt && at + stepMs <= until);
}

/** The times of a schedule, as it may have been when it was counted: several, where it was being written then. */
function versionsAt(schedule: ScheduleView, forecast: Forecast, view: View): number[][] {
  const { askedAt, answeredAt, figures } = forecast;
  const { due, spans, seen } = schedule;
  const countedAt = Math.min(figures.countedAt, askedAt) - view.behindMs(askedAt, answeredAt);
  const was: number[][] = [];
  if (seen.createdAt + CREATED_MS > countedAt) was.push([]);
  if (seen.createdAt > answeredAt) return was;
  if (spans.length === 0) return [...was, due];
  const mayBe = spans.filter(
    (span, index) =>
      span.at <= answeredAt && countedAt <= (spans[index + 1]?.writtenBy ?? Infinity),
  );
  return [...was, ...mayBe.map(({ times, isDeleted }) => (isDeleted ? [] : times))];
}

function rangeOf(versions: number[][], from: number, to: number): { least: number; most: number } {
  const counts = versions.map(times => indexFrom(times, to) - indexFrom(times, from));
  return { least: Math.min(...counts), most: Math.max(...counts) };
}

/** @param times ascending @returns how many of them come before `from` */
function indexFrom(times: number[], from: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
