import cronstrue from 'cronstrue';

const MACROS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * The interval as a sentence, or null if no sentence is true. The library calls any step "every n
 * minutes", even if the hour cuts the last step short (every 7th minute: …, 56, 0). For such
 * intervals, and for ambiguous sentences, the page shows the times alone.
 */
export function inWords(interval: string): string | null {
  const trimmed = interval.trim();
  const cron = MACROS[trimmed.toLowerCase()] ?? trimmed;
  const fields = fieldsOf(cron);
  if (fields === null || !isSayable(fields)) return null;
  try {
    const words = cronstrue.toString(cron, { use24HourTimeFormat: true, verbose: false });
    if (/undefined|null|NaN/.test(words)) return null;
    return isEachDay(fields) && words.startsWith('At ') ? `${words}, each day` : words;
  } catch {
    return null;
  }
}

interface Field {
  kind: 'all' | 'one' | 'list' | 'range' | 'step' | 'other';
  step?: number;
}

interface Fields {
  second: Field;
  minute: Field;
  hour: Field;
  day: Field;
  month: Field;
  weekday: Field;
}

function fieldsOf(cron: string): Fields | null {
  const texts = cron.split(/\s+/);
  if (texts.length === 5) texts.unshift('0');
  if (texts.length !== 6) return null;
  const [second, minute, hour, day, month, weekday] = texts.map(fieldOf);
  return {
    second: second!,
    minute: minute!,
    hour: hour!,
    day: day!,
    month: month!,
    weekday: weekday!,
  };
}

function fieldOf(text: string): Field {
  if (text === '*' || text === '?') return { kind: 'all' };
  const step = /^\*\/(\d+)$/.exec(text);
  if (step !== null) return { kind: 'step', step: Number(step[1]) };
  if (/^\w+$/.test(text)) return { kind: /^(?:\d+|[a-z]{3})$/i.test(text) ? 'one' : 'other' };
  if (/^\d+(?:,\d+)+$|^[a-z]{3}(?:,[a-z]{3})+$/i.test(text)) return { kind: 'list' };
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (from !== undefined) return { kind: Number(from) <= Number(to) ? 'range' : 'other' };
  return { kind: /^[a-z]{3}-[a-z]{3}$/i.test(text) ? 'range' : 'other' };
}

function isSayable({ second, minute, hour, day, month, weekday }: Fields): boolean {
  const all = [second, minute, hour, day, month, weekday];
  if (all.some(({ kind }) => kind === 'other')) return false;
  // A step that does not come out even begins anew with each minute, hour or day.
  if (!isEven(second, 60) || !isEven(minute, 60) || !isEven(hour, 24)) return false;
  if ([day, month, weekday].some(({ kind }) => kind === 'step')) return false;
  // Days of the month and of the week: either may match, or both must.
  if (day.kind !== 'all' && weekday.kind !== 'all') return false;
  const isOften = minute.kind !== 'one' || second.kind !== 'one';
  return !(isOften && (hour.kind === 'list' || hour.kind === 'step'));
}

function isEven({ kind, step }: Field, whole: number): boolean {
  return kind !== 'step' || (step! > 0 && step! < whole && whole % step! === 0);
}

function isEachDay({ hour, day, month, weekday }: Fields): boolean {
  const isOfDay = hour.kind === 'one' || hour.kind === 'list';
  return isOfDay && [day, month, weekday].every(({ kind }) => kind === 'all');
}
