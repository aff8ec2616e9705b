import { PunctualError } from '../../errors.ts';

/**
 * The lines of ICS text (RFC 5545, 3.1) as components within each other.
 *
 * Only properties that somebody reads are kept. So a line that is broken elsewhere, such as a description that was never
 * folded, does no harm.
 */
export interface Component {
  /** Upper case. */
  name: string;
  /** The number of its first line, from 1. */
  line: number;
  properties: ContentLine[];
  components: Component[];
}

/** One property: `DTSTART;TZID=Europe/Berlin:20261224T180000`. */
export interface ContentLine {
  /** Upper case, as the names of its parameters are. */
  name: string;
  parameters: ReadonlyMap<string, string>;
  value: string;
  /** Its number, from 1. */
  line: number;
}

/**
 * The VCALENDAR components of a text.
 *
 * @param kept names of properties, upper case
 * @throws PunctualError `calendar_invalid`
 */
export function readComponents(text: string, kept: ReadonlySet<string>): Component[] {
  const calendars: Component[] = [];
  const open: Component[] = [];
  for (const { text: lineText, line } of unfolded(text)) {
    const name = NAME.exec(lineText)?.[0].toUpperCase() ?? '';
    if (name === 'BEGIN') begin(readLine(lineText, line), open, calendars);
    else if (calendars.length === 0) throw invalid(NO_CALENDAR, text);
    else if (name === 'END') end(readLine(lineText, line), open);
    else if (kept.has(name)) open.at(-1)?.properties.push(readLine(lineText, line));
  }
  const left = open.at(-1);
  if (left !== undefined) {
    throw invalid(
      `The calendar breaks off: the ${titleOf(left)} that begins at line ${left.line} has no end.`,
    );
  }
  if (calendars.length === 0) throw invalid(NO_CALENDAR);
  return calendars;
}

function begin({ value, line }: ContentLine, open: Component[], calendars: Component[]): void {
  const component = { name: value.trim().toUpperCase(), line, properties: [], components: [] };
  const parent = open.at(-1);
  if (parent !== undefined) parent.components.push(component);
  else if (component.name === 'VCALENDAR') calendars.push(component);
  else throw invalid(calendars.length === 0 ? NO_CALENDAR : `Line ${line} stands in no VCALENDAR.`);
  open.push(component);
}

function end({ value, line }: ContentLine, open: Component[]): void {
  const name = value.trim().toUpperCase();
  const last = open.pop();
  if (last?.name === name) return;
  throw invalid(
    last === undefined
      ? `Line ${line} of the calendar ends what never began.`
      : `Line ${line} of the calendar ends another component than the ${titleOf(last)} of line ${last.line}.`,
  );
}

/** Its name, unless that is none: a sentence does not repeat a whole line of somebody's text. */
function titleOf({ name }: Component): string {
  return COMPONENT_NAME.test(name) ? name : 'component';
}

const COMPONENT_NAME = /^[A-Z][A-Z0-9-]{0,39}$/;

/** Lines that begin with white space go on with the one before. */
function* unfolded(text: string): Generator<{ text: string; line: number }> {
  let current = '';
  let startLine = 0;
  let line = 0;
  for (const part of physicalLines(text)) {
    line += 1;
    if (part.startsWith(' ') || part.startsWith('\t')) {
      current += part.slice(1);
    } else if (part !== '') {
      if (current.trim() !== '') yield { text: current, line: startLine };
      current = part;
      startLine = line;
    }
  }
  if (current.trim() !== '') yield { text: current, line: startLine };
}

/** One at a time, since a text of line ends alone would be a million. */
function* physicalLines(text: string): Generator<string> {
  const ends = /\r\n?|\n/g;
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  for (let found = ends.exec(text); found !== null; found = ends.exec(text)) {
    yield text.slice(from, found.index);
    from = ends.lastIndex;
  }
  yield text.slice(from);
}

function readLine(text: string, line: number): ContentLine {
  const name = NAME.exec(text)![0];
  const parameters = new Map<string, string>();
  let at = name.length;
  while (text[at] === ';') {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(text);
    if (found === null) break;
    // Quoted, a value may have the characters that end it otherwise.
    parameters.set(found[1]!.toUpperCase(), found[2]!.replaceAll('"', ''));
    at = PARAMETER.lastIndex;
  }
  if (text[at] !== ':') {
    throw invalid(`Line ${line} of the calendar is broken: ${name.toUpperCase()} has no value.`);
  }
  return { name: name.toUpperCase(), parameters, value: text.slice(at + 1), line };
}

/** @returns the first property of that name */
export function propertyOf(component: Component, name: string): ContentLine | undefined {
  return component.properties.find(property => property.name === name);
}

export function propertiesOf(component: Component, name: string): ContentLine[] {
  return component.properties.filter(property => property.name === name);
}

export function invalid(sentence: string, refused = ''): PunctualError {
  return new PunctualError('calendar_invalid', sentence, { refused });
}

const NO_CALENDAR = 'The text is no calendar: it does not begin with BEGIN:VCALENDAR.';
const NAME = /^[A-Za-z0-9-]+/;
const PARAMETER = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";:])*)/y;
