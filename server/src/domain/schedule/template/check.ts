import { PunctualError } from '../../errors.ts';
import { contentTypeIn, contentTypeOf, isJson, isJsonType } from '../content-type.ts';
import { checkData } from '../data.ts';
import { checkHeaders } from '../headers.ts';
import { MOST_BODY_BYTES } from '../raw-body.ts';
import type { Policy, Schedule } from '../schedule.ts';
import { MOST_URL_CHARACTERS, originTextOf } from '../target.ts';
import { isTemplateName, TEMPLATE_NAMES, type TemplateFacts } from './names.ts';
import {
  type FieldText,
  mayHaveTemplate,
  parseTemplate,
  type TemplatedFields,
  textsOf,
} from './parse.ts';
import { percentEncoded, rendered, renderText } from './render.ts';

/**
 * Checks templates when a schedule is written: a schedule that passes can be rendered for every run, and its requests keep the
 * limits of a schedule.
 */

/** The fields of a schedule that decide about its templates. */
export interface TemplatedSchedule
  extends TemplatedFields,
    Pick<Partial<Schedule>, 'externalId' | 'label'> {
  policy?: Policy | undefined;
}

/** The checks of one field. */
interface TemplateCheck {
  where: FieldText['field'];
  run(): void;
}

/** @throws PunctualError `template_invalid`, or the error of the limit that a value would break */
export function checkTemplates(schedule: TemplatedSchedule): void {
  for (const { run } of templateChecks(schedule)) run();
}

/** Field by field; none where the policy has no templates. */
export function templateChecks(schedule: TemplatedSchedule): TemplateCheck[] {
  if (schedule.policy?.template !== true) return [];
  const texts = textsOf(schedule);
  const check = (where: TemplateCheck['where'], limits: () => void): TemplateCheck => ({
    where,
    run() {
      const own = texts.filter(({ field }) => field === where);
      if (own.length === 0) return;
      for (const text of own) checkNames(text);
      limits();
    },
  });
  return [
    check('url', () => checkUrl(schedule)),
    check('headers', () => checkHeaders(longest(schedule).headers!)),
    check('data', () => checkData(longest(schedule).data!)),
    check('body', () => checkBody(schedule)),
  ];
}

function checkUrl(schedule: TemplatedSchedule): void {
  const { url } = schedule;
  const origin = originTextOf(url);
  if (mayHaveTemplate(origin)) {
    fail('url', 'a template may stand in the path and the query, but not in scheme, host or port.');
  }
  // The parser of urls takes a dot segment away, and the one before it, however it is encoded.
  const [path] = url.slice(origin.length).split(/[?#]/, 1);
  const facts = factsOf(schedule, {});
  for (const segment of path!.split('/')) {
    if (!mayHaveTemplate(segment)) continue;
    const text = renderText(segment, facts, percentEncoded);
    if (DOTS.test(text)) {
      fail('url', `${quoted(segment)} would be ${quoted(text)}, and lead to another path.`);
    }
  }
  if ([...longest(schedule).url].length > MOST_URL_CHARACTERS) {
    const most = MOST_URL_CHARACTERS.toLocaleString('en');
    fail('url', `with its templates filled in it may have more than ${most} characters.`);
  }
}

function checkBody(schedule: TemplatedSchedule): void {
  const body = schedule.body!;
  const { headers, delivery } = longest(schedule);
  if (!isJson(body) && isMeantAsJson(body, contentTypeIn(headers))) {
    fail('body', 'it is no JSON: within JSON, templates may stand in strings only.');
  }
  if (Buffer.byteLength(delivery!.body!) > MOST_BODY_BYTES) {
    fail('body', 'with its templates filled in it may have more than 128 KiB.');
  }
}

/** Whether it says so, or it would be an object or an array if each template were a number. */
function isMeantAsJson(body: string, contentType: string | undefined): boolean {
  if (contentType !== undefined) return isJsonType(contentType);
  const pieces = parseTemplate(body);
  const filled = pieces.map(piece => (typeof piece === 'string' ? piece : '0')).join('');
  return /^\s*[[{]/.test(filled) && isJson(filled);
}

function checkNames({ field, key, text }: FieldText): void {
  const where = key === undefined ? field : `${field}, ${quoted(key)}`;
  for (const piece of parseTemplate(text)) {
    if (typeof piece === 'string') continue;
    if (piece.name === null) {
      fail(where, '{{ is not closed by }}: write \\{{ where no name follows.');
    }
    if (isTemplateName(piece.name)) continue;
    const names = TEMPLATE_NAMES.join(', ');
    fail(where, `${quoted(piece.name)} is not a name of a template. The names are ${names}.`);
  }
}

/** With the longest values that may come. */
function longest(schedule: TemplatedSchedule) {
  const { body, url, headers, data } = schedule;
  const parts = {
    url,
    ...(headers && { headers }),
    ...(data && { data }),
    ...(body !== undefined && { delivery: { body, contentType: contentTypeOf(body) } }),
  };
  return rendered(parts, factsOf(schedule, LONGEST_PREVIOUS));
}

function factsOf(
  { externalId, label = '' }: TemplatedSchedule,
  previous: TemplateFacts['previous'],
): TemplateFacts {
  return { ...LONGEST, label, externalId, previous };
}

function fail(where: string, sentence: string): never {
  throw new PunctualError('template_invalid', `${where}: ${sentence}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64).toWellFormed()}…` : text);
}

/** The longest of each. */
const LONGEST_ID = '0'.repeat(36);
const LONGEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const LONGEST = {
  runId: LONGEST_ID,
  scheduledFor: LONGEST_TIME,
  attempt: 11,
  trigger: 'schedule',
  scheduleId: LONGEST_ID,
  timezone: 'UTC',
};
const LONGEST_PREVIOUS = {
  status: 'succeeded',
  scheduledFor: LONGEST_TIME,
  responseStatus: 599,
  succeededFor: LONGEST_TIME,
};
const DOTS = /^(?:\.|%2e){1,2}$/i;
