import type { Draft } from './draft.ts';
import { eachField, POLICY_WORDS } from './policy-fields.ts';

/** Two edits of one schedule: what each changed since both began, field by field. */

export type Field = keyof Draft;

export const FIELD_NAMES: Record<Field, string> = {
  label: 'Label',
  verb: 'Verb',
  url: 'Url',
  interval: 'Interval',
  timezone: 'Time zone',
  headers: 'Headers',
  data: 'Payload',
  integrations: 'Webhooks',
  ...eachField(field => POLICY_WORDS[field].label),
};

export function changedFields(before: Draft, after: Draft): Field[] {
  const fields = Object.keys(FIELD_NAMES) as Field[];
  return fields.filter(field => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

export interface Conflict {
  field: Field;
  /** Whether both changed it, and not to the same. */
  isBoth: boolean;
}

/**
 * The changes of another editor that the draft does not have yet.
 *
 * @param base what both began with
 */
export function conflictsOf(base: Draft, mine: Draft, theirs: Draft): Conflict[] {
  const byMe = changedFields(base, mine);
  const differing = changedFields(mine, theirs);
  return changedFields(base, theirs)
    .filter(field => differing.includes(field))
    .map(field => ({ field, isBoth: byMe.includes(field) }));
}

/** My draft with those of their fields that are taken. */
export function merged(mine: Draft, theirs: Draft, taken: readonly Field[]): Draft {
  return { ...mine, ...Object.fromEntries(taken.map(field => [field, theirs[field]])) };
}

/** A field as one line of text; values of headers are not shown. */
export function fieldText(draft: Draft, field: Field): string {
  switch (field) {
    case 'headers':
      return draft.headers.map(([name]) => name).join(', ') || 'none';
    case 'data':
      return draft.data.map(([name, value]) => `${name}: ${value}`).join(', ') || 'none';
    case 'integrations':
      return draft.integrations.map(({ name, url }) => name || url).join(', ') || 'none';
    default:
      return draft[field] || (field in POLICY_WORDS ? 'the default' : 'empty');
  }
}
