/** The names that a template may have, and their completion while one types. */

export interface TemplateName {
  name: string;
  means: string;
}

export const TEMPLATE_NAMES: readonly TemplateName[] = [
  { name: 'run.id', means: 'id of the run' },
  { name: 'run.scheduledFor', means: 'due time, in UTC' },
  { name: 'run.unix', means: 'due time, in seconds since 1970' },
  { name: 'run.localDate', means: 'due date in the schedule’s zone' },
  { name: 'run.localTime', means: 'due time of day in the schedule’s zone' },
  { name: 'run.attempt', means: 'number of the attempt' },
  { name: 'run.trigger', means: 'what caused the run' },
  { name: 'schedule.id', means: 'id of the schedule' },
  { name: 'schedule.externalId', means: 'your own id of it' },
  { name: 'schedule.label', means: 'its label' },
  { name: 'previous.status', means: 'how the run before ended' },
  { name: 'previous.scheduledFor', means: 'due time of the run before' },
  { name: 'previous.responseStatus', means: 'status of its last answer' },
  { name: 'previous.succeededFor', means: 'due time of the last success' },
];

/** A name that is being typed: from behind its braces to the caret. */
export interface OpenName {
  from: number;
  typed: string;
}

/** The name at the caret, where braces were opened and not closed; null where none is typed. */
export function openNameAt(text: string, caret: number): OpenName | null {
  const found = /(^|[^\\])\{\{\s*([\w.]*)$/.exec(text.slice(0, caret));
  if (found === null) return null;
  const typed = found[2]!;
  return { from: caret - typed.length, typed };
}

/** The names that contain what was typed; those that begin with it first. */
export function offeredFor({ typed }: OpenName): TemplateName[] {
  const folded = typed.toLowerCase();
  const begins = ({ name }: TemplateName) => name.toLowerCase().startsWith(folded);
  const has = TEMPLATE_NAMES.filter(({ name }) => name.toLowerCase().includes(folded));
  return [...has.filter(begins), ...has.filter(each => !begins(each))];
}

/** The text with the whole name and closed braces, and the caret behind them. */
export function withName(text: string, { from, typed }: OpenName, name: string) {
  const before = text.slice(0, from);
  const after = text.slice(from + typed.length).replace(/^[\w.]*\s*\}\}/, '');
  const whole = `${before}${name}}}`;
  return { text: whole + after, caret: whole.length };
}

/** Whether there are names to replace. */
export function hasNames(text: string): boolean {
  return TEMPLATE_NAMES.some(({ name }) =>
    new RegExp(`(^|[^\\\\])\\{\\{\\s*${name}\\s*\\}\\}`).test(text),
  );
}
