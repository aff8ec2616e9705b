/** Writes TZif files of version 2 or 3 (RFC 9636), with as few changes listed as a rule allows. */

import {
  changesOf,
  type PosixRule,
  parsePosixRule,
} from '../server/src/domain/calendar/zones/posix-rule.ts';

interface Step {
  /** Seconds east of UTC. */
  offset: number;
  abbreviation: string;
}

/**
 * @param times when the steps after the first begin: epoch seconds, as far as there are any. Those of a
 * zone whose clocks change every year go on for centuries
 */
export function tzifOf(times: number[], steps: Step[]): Buffer {
  const footer = footerOf(times, steps);
  const rule = parsePosixRule(footer)!;
  const listed = rule.changes.length === 0 ? times.length : listedBefore(times, steps, rule);
  return tzif(times.slice(0, listed), steps.slice(0, listed + 1), footer);
}

/** A list that goes on for as long as this has no end. */
const YEARLY_UNTIL = Date.UTC(2400, 0) / 1_000;

function footerOf(times: number[], steps: Step[]): string {
  const last = steps.at(-1)!;
  if ((times.at(-1) ?? 0) < YEARLY_UNTIL) return `${nameOf(last)}${posixClock(-last.offset)}`;
  const before = steps.at(-2)!;
  const [summer, standard] = last.offset > before.offset ? [last, before] : [before, last];
  const zone = `${nameOf(standard)}${posixClock(-standard.offset)}${nameOf(summer)}`;
  const summerOffset = summer.offset === standard.offset + 3_600 ? '' : posixClock(-summer.offset);
  const start = yearlyDate(times, steps, standard, summer);
  const end = yearlyDate(times, steps, summer, standard);
  return `${zone}${summerOffset},${start},${end}`;
}

function nameOf({ abbreviation }: Step): string {
  return /^[A-Za-z]+$/.test(abbreviation) ? abbreviation : `<${abbreviation}>`;
}

/** The date of a yearly change that holds in all the last years of the list. */
function yearlyDate(times: number[], steps: Step[], from: Step, to: Step): string {
  const changes = times.filter(
    (at, index) => at > YEARLY_FROM && steps[index + 1]!.offset === to.offset,
  );
  const isRight = (date: string) => {
    const name = `A${posixClock(-from.offset)}B${posixClock(-to.offset)},${date},J60/99`;
    const { changes: known } = parsePosixRule(name.replace('A', 'AAA').replace('B', 'BBB'))!;
    return changes.every(at => {
      const year = new Date(at * 1_000).getUTCFullYear();
      return known[0]!.dayIn(year) * 86_400 + known[0]!.timeMs / 1_000 - from.offset === at;
    });
  };
  const found = datesAround(changes[0]! + from.offset).find(isRight);
  if (found === undefined) throw new Error('No rule fits the yearly changes.');
  return found;
}

/** 400 years, after which the calendar repeats itself, and the year in which the last is not whole. */
const YEARLY_FROM = Date.UTC(2098, 6) / 1_000;

/** How the first change may be written, from the plainest on: on its day, or by hours beyond its ends. */
function datesAround(local: number): string[] {
  return [0, -1, 1, -2, 2, -3, 3].flatMap(shift => {
    const day = Math.floor(local / 86_400) + shift;
    const date = new Date(day * 86_400_000);
    const time = posixClock(local - day * 86_400);
    const suffix = time === '2' ? '' : `/${time}`;
    return [5, 4, 3, 2, 1].map(
      week => `M${date.getUTCMonth() + 1}.${week}.${date.getUTCDay()}${suffix}`,
    );
  });
}

function posixClock(seconds: number): string {
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3_600), Math.floor(size / 60) % 60, size % 60];
  while (parts.length > 1 && parts.at(-1) === 0) parts.pop();
  const [hours, ...rest] = parts;
  const tail = rest.map(part => `:${String(part).padStart(2, '0')}`).join('');
  return `${seconds < 0 ? '-' : ''}${hours}${tail}`;
}

/** How many changes the rule does not say, and one of its own, so that it goes on from there. */
function listedBefore(times: number[], steps: Step[], rule: PosixRule): number {
  const lastYear = new Date(times.at(-1)! * 1_000).getUTCFullYear();
  const ruled = changesOf(rule, 1850, lastYear);
  const isSame = (back: number) => {
    const { at, offsetMs } = ruled.at(-back)!;
    return times.at(-back) === at / 1_000 && steps.at(-back)!.offset === offsetMs / 1_000;
  };
  let same = 0;
  while (same < times.length && isSame(same + 1)) same += 1;
  return times.length - same + 1;
}

function tzif(times: number[], steps: Step[], footer: string): Buffer {
  const types = [...new Set(steps.map(step => `${step.offset} ${step.abbreviation}`))];
  const names = [...new Set(steps.map(step => step.abbreviation))];
  const designations = Buffer.from(names.map(name => `${name}\0`).join(''));
  const body = Buffer.alloc(times.length * 9 + types.length * 6);
  for (const [index, at] of times.entries()) {
    body.writeBigInt64BE(BigInt(at), index * 8);
    const step = steps[index + 1]!;
    const type = types.indexOf(`${step.offset} ${step.abbreviation}`);
    body.writeUInt8(type, times.length * 8 + index);
  }
  for (const [index, type] of types.entries()) {
    const [offset, abbreviation] = type.split(' ');
    const place = times.length * 9 + index * 6;
    body.writeInt32BE(Number(offset), place);
    const before = names.slice(0, names.indexOf(abbreviation!)).join('\0');
    body.writeUInt8(before === '' ? 0 : before.length + 1, place + 5);
  }
  const version = /\/(?:-|2[5-9]|[3-9]\d|1\d\d)/.test(footer) ? '3' : '2';
  return Buffer.concat([
    // Nothing for readers of version 1 but what they must find.
    header(version, 0, 1, 1),
    Buffer.alloc(7),
    header(version, times.length, types.length, designations.length),
    body,
    designations,
    Buffer.from(`\n${footer}\n`),
  ]);
}

function header(version: string, times: number, types: number, characters: number): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write(`TZif${version}`);
  for (const [index, count] of [times, types, characters].entries()) {
    bytes.writeUInt32BE(count, 32 + index * 4);
  }
  return bytes;
}
