import type { FieldChange, ScheduleVersion } from '@punctual/client';
import { isSecretName } from '../schedule/secret-names.ts';

/** Changes of a schedule in words. */

/** The author of a version; '' where nobody is noted. */
export function whoText({ by, key }: ScheduleVersion): string {
  switch (by) {
    case 'key':
      return key?.name ? `the key ${key.name}` : `the key ${key!.keyId}`;
    case 'cli':
      return 'the operator';
    case 'service':
      return 'Punctual itself';
    case 'target':
      return 'its target';
    default:
      return '';
  }
}

/** A value on one line; none where there was none. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value || 'empty' : JSON.stringify(value);
}

/**
 * Whether the values of a change may be secrets: of a header or a payload field with such a name, or of all headers at once.
 * A payload that comes or goes as a whole is one if it has such a field.
 */
export function isSecretChange({ path, before, after }: FieldChange): boolean {
  if (path === 'headers') return true;
  if (path === 'data') return [before, after].flatMap(fieldNames).some(isSecretName);
  const [, plain, quoted] = /^(?:headers|data)(?:\.(.+)|\["(.+)"\])$/.exec(path) ?? [];
  return isSecretName(plain ?? quoted ?? '');
}

function fieldNames(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

type Headers = readonly (readonly [name: string, value: string])[];

/** The headers that differ, by their names: their values may be secrets. */
export function headersText(before: Headers, after: Headers): string {
  const [was, is] = [new Map(before), new Map(after)];
  const of = (names: Iterable<string>, differs: (name: string) => boolean) =>
    [...names].filter(differs).join(', ');
  const parts = [
    ['back', of(is.keys(), name => !was.has(name))],
    ['another value', of(is.keys(), name => was.has(name) && was.get(name) !== is.get(name))],
    ['gone', of(was.keys(), name => !is.has(name))],
  ];
  return parts.flatMap(([word, names]) => (names ? [`${names} (${word})`] : [])).join(', ');
}
