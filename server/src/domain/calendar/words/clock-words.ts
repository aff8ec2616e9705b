import { joined, numberWords } from './number-words.ts';

/** The times of day of an interval in words. */

/** Up to this many times of a day are told one by one. */
const MOST_TIMES = 6;

/** The values of three fields, ascending. */
export interface TimesOfDay {
  seconds: readonly number[];
  minutes: readonly number[];
  hours: readonly number[];
}

export interface ClockWords {
  text: string;
  /** It says times of day, so that the days have to be said as well. */
  isOfDay: boolean;
}

export function clockWords(times: TimesOfDay): ClockWords {
  const { seconds, minutes, hours } = times;
  if (seconds.length * minutes.length * hours.length <= MOST_TIMES) {
    return { text: `At ${joined(listedTimes(times))}`, isOfDay: true };
  }
  const isOnTheMinute = seconds.length === 1 && seconds[0] === 0;
  if (!isOnTheMinute) return { text: secondsText(times), isOfDay: false };
  return minutes.length === 1 ? hourly(minutes[0]!, hours) : ofMinutes(minutes, hours);
}

function listedTimes({ seconds, minutes, hours }: TimesOfDay): string[] {
  return hours.flatMap(hour =>
    minutes.flatMap(minute => seconds.map(second => clockTime(hour, minute, second))),
  );
}

/** One minute of many hours. */
function hourly(minute: number, hours: readonly number[]): ClockWords {
  if (hours.length === 24) {
    return {
      text: minute === 0 ? 'Every hour' : `Every hour, at minute ${minute}`,
      isOfDay: false,
    };
  }
  const [first, last] = [clockTime(hours[0]!, minute), clockTime(hours.at(-1)!, minute)];
  const step = evenStep(hours, 24);
  if (step !== null) return { text: `Every ${step} hours, from ${first}`, isOfDay: true };
  if (isRange(hours)) return { text: `Every hour from ${first} to ${last}`, isOfDay: true };
  return { text: `At minute ${minute} of ${unitText('hour', hours)}`, isOfDay: true };
}

/** Several minutes, each at its full minute. */
function ofMinutes(minutes: readonly number[], hours: readonly number[]): ClockWords {
  const pace = paceText('minute', minutes);
  const isOfDay = hours.length < 24;
  if (pace === null) {
    const within = isOfDay ? unitText('hour', hours) : 'every hour';
    return { text: `At minutes ${numberWords(minutes, String)} of ${within}`, isOfDay };
  }
  if (!isOfDay) return { text: pace, isOfDay };
  if (!isRange(hours)) return { text: `${pace} of ${unitText('hour', hours)}`, isOfDay };
  const last = clockTime(hours.at(-1)!, minutes.at(-1)!);
  return { text: `${pace} from ${clockTime(hours[0]!, 0)} to ${last}`, isOfDay };
}

function secondsText({ seconds, minutes, hours }: TimesOfDay): string {
  const pace = paceText('second', seconds);
  const head = pace ?? `At ${unitText('second', seconds, '')}`;
  const isEachMinute = minutes.length === 60;
  const parts = [
    isEachMinute ? pace === null && 'every minute' : unitText('minute', minutes),
    hours.length === 24 ? !isEachMinute && 'every hour' : unitText('hour', hours),
  ];
  return [head, ...parts.filter(part => part !== false)].join(' of ');
}

/** `Every minute`, `Every 5 minutes`, or null where there is no such pace. */
function paceText(unit: 'second' | 'minute', values: readonly number[]): string | null {
  if (values.length === 60) return `Every ${unit}`;
  const step = evenStep(values, 60);
  return step === null ? null : `Every ${step} ${unit}s`;
}

/** The step from 0 that comes out even: else the last step of an hour or a day is shorter. */
function evenStep(values: readonly number[], size: number): number | null {
  const step = size / values.length;
  const isEven = values.length > 1 && values.every((value, index) => value === index * step);
  return isEven ? step : null;
}

function isRange(values: readonly number[]): boolean {
  return values.at(-1)! - values[0]! === values.length - 1;
}

/** `hour 9`, or `the hours 9 to 17`. */
function unitText(unit: string, values: readonly number[], article = 'the '): string {
  const text = numberWords(values, String);
  return values.length === 1 ? `${unit} ${text}` : `${article}${unit}s ${text}`;
}

/** `09:05`, with seconds where they are not 0. */
function clockTime(hour: number, minute: number, second = 0): string {
  const [hours, minutes, seconds] = [hour, minute, second].map(part =>
    String(part).padStart(2, '0'),
  );
  return second === 0 ? `${hours}:${minutes}` : `${hours}:${minutes}:${seconds}`;
}
