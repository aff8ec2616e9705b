import { readCurl } from './curl.ts';
import type { RequestFields, RequestResult } from './request-fields.ts';
import { readWget } from './wget.ts';

/** A crontab as lines that may become schedules: crontab(5) of Vixie cron, with `CRON_TZ` and `TZ` of cronie and systemd. */
export interface CrontabLine {
  /** From 1. */
  number: number;
  text: string;
  interval: string;
  /** Of `CRON_TZ` or `TZ` above it; null: that of the machine, which the text does not tell. */
  timezone: string | null;
  label: string;
  /** Why it becomes no schedule. */
  problem?: string;
  fields?: RequestFields;
}

const FIELD = String.raw`[\d*/,\-A-Za-z#?]+`;
const LINE = new RegExp(
  String.raw`^\s*((?:${FIELD}\s+){5}|@every\s+\S+\s+|@[a-z]+\s+)(\S.*)$`,
  'i',
);
const SETTING = /^\s*(\w+)\s*=\s*(.*?)\s*$/;

/** Whether the text is at least one line of a crontab, with no other in front. */
export function isCrontab(text: string): boolean {
  const lines = text.split(/\r?\n/).filter(line => !isEmpty(line) && !SETTING.test(line));
  return lines.length > 0 && isLine(lines[0]!);
}

/** Each line with an interval, in order. Never throws. */
export function readCrontab(text: string): CrontabLine[] {
  const lines: CrontabLine[] = [];
  let timezone: string | null = null;
  let comment = '';
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, name, value = ''] = SETTING.exec(line) ?? [];
    const said = /^\s*#+\s*(.*?)\s*$/.exec(line)?.[1];
    if (said !== undefined) comment = isLine(said) ? '' : said;
    else if (isEmpty(line)) comment = '';
    else if (name !== undefined && !isLine(line)) {
      if (/^(CRON_)?TZ$/.test(name)) timezone = unquoted(value) || null;
    } else {
      lines.push(lineOf(line, { number: index + 1, timezone, comment }));
      comment = '';
    }
  }
  return lines;
}

function lineOf(
  text: string,
  { number, timezone, comment }: { number: number; timezone: string | null; comment: string },
): CrontabLine {
  const [, when, command] = LINE.exec(text) ?? [];
  const line = { number, text: text.trim(), interval: '', timezone, label: comment };
  if (when === undefined || command === undefined || !isWhen(when)) {
    return { ...line, problem: 'It is no line of a crontab: five fields and a command.' };
  }
  const interval = intervalOf(when.trim());
  if (interval === null) {
    return { ...line, problem: `No schedule has a time such as ${when.trim()}.` };
  }
  const result = requestOf(command);
  if ('problem' in result) return { ...line, interval, problem: result.problem };
  return { ...line, interval, label: comment || labelOf(result.fields), fields: result.fields };
}

function isLine(line: string): boolean {
  const [, when] = LINE.exec(line) ?? [];
  return when !== undefined && isWhen(when);
}

/** Names are of months and weekdays only: other words make it a sentence. */
function isWhen(when: string): boolean {
  const fields = when.trim().split(/\s+/);
  if (fields[0]!.startsWith('@')) return true;
  return fields.every(field => /\d|\*|\?/.test(field) || NAMES.test(field));
}

const NAMES =
  /^(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)[,-]?)+$/i;
const MACROS = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
const EVERY = /^@every\s+(\d+)([smh])$/i;
const UNITS: Record<string, string> = { s: 'seconds', m: 'minutes', h: 'hours' };

/** @returns null for what is no time, such as @reboot */
function intervalOf(when: string): string | null {
  const [, count, unit] = EVERY.exec(when) ?? [];
  if (unit !== undefined) return `rate(${Number(count)} ${UNITS[unit.toLowerCase()]})`;
  if (!when.startsWith('@')) return when.split(/\s+/).join(' ');
  return MACROS.has(when.toLowerCase()) ? when.toLowerCase() : null;
}

function requestOf(command: string): RequestResult {
  // crontab(5): "%" is a new line, and "\%" a percent sign.
  if (/(?<!\\)%/.test(command))
    return { problem: 'It has input after a %, which no schedule has.' };
  const text = withoutOutput(command.replaceAll('\\%', '%'));
  const tool =
    /^(?:\S*\/)?(curl|wget)(?=\s)/.exec(text) ??
    /^[a-z_][\w-]*\s+(?:\S*\/)?(curl|wget)(?=\s)/.exec(text);
  if (tool === null) {
    return { problem: 'It runs a command, not a request: put it behind a url.' };
  }
  // A system's crontab has the user in front of the command.
  const plain = `${tool[1]}${text.slice(tool[0].length)}`;
  return tool[1] === 'curl' ? readCurl(plain) : readWget(plain);
}

/** Without the redirections of its output at the end: they do not touch what is sent. */
function withoutOutput(command: string): string {
  const redirection = /\s*(?:\d?>&\d|&?\d?>{1,2}\s*[^\s|;&<>]+|\|\|\s*true)\s*$/;
  let text = command.trim();
  while (redirection.test(text)) text = text.replace(redirection, '').trim();
  return text;
}

function labelOf({ url, verb }: RequestFields): string {
  return URL.canParse(url) ? `${verb} ${new URL(url).host}${new URL(url).pathname}` : '';
}

function isEmpty(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}
