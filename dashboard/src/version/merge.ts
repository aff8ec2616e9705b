import { DELIVERY_NAMES, type DeliveryField } from '../form/delivery-draft.ts';
import type { Draft } from '../form/draft.ts';
import { DELIVERY_WORDS, deliveryText } from '../schedule/delivery-words.ts';
import { eachField, POLICY_WORDS } from '../schedule/policy-fields.ts';
import { HIDDEN_VALUE, isSecretName } from '../schedule/secret-names.ts';
import {
  AFTER_COMPLETION,
  COUNT_FIELDS,
  labelOf,
  ON_EXCLUDED,
} from '../schedule/timing-choices.ts';
import { fullTime } from '../time/times.ts';

/** Two edits of one schedule: what each changed since both began, field by field. */

export type Field = keyof Draft;

export const FIELD_NAMES: Record<Field, string> = {
  label: 'Label',
  verb: 'Verb',
  url: 'Url',
  interval: 'Interval',
  timezone: 'Time zone',
  startsAt: 'Starts',
  endsAt: 'Ends',
  maxRuns: COUNT_FIELDS.maxRuns.label,
  afterCompletion: 'When no time is left',
  windowSeconds: COUNT_FIELDS.windowSeconds.label,
  exclude: 'Calendars',
  onExcluded: 'On excluded days',
  headers: 'Headers',
  data: 'Payload',
  body: 'Raw body',
  externalId: 'External id',
  tags: 'Tags',
  integrations: 'Webhooks',
  destination: 'Destination',
  ...eachField(field => POLICY_WORDS[field].label),
  ...deliveryLabels(),
};

function deliveryLabels() {
  const labels = DELIVERY_NAMES.map(field => [field, DELIVERY_WORDS[field].label]);
  return Object.fromEntries(labels) as Record<DeliveryField, string>;
}

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

/** A field as one line of text. Values of headers are not shown, nor those of a payload that are secrets by their names. */
export function fieldText(draft: Draft, field: Field): string {
  switch (field) {
    case 'headers':
      return draft.headers.map(([name]) => name).join(', ') || 'none';
    case 'data':
      return (
        draft.data
          .map(([name, value]) => `${name}: ${isSecretName(name) ? HIDDEN_VALUE : value}`)
          .join(', ') || 'none'
      );
    case 'tags':
      return draft.tags.map(([name, value]) => `${name}: ${value}`).join(', ') || 'none';
    case 'integrations':
      return draft.integrations.map(({ name, url }) => name || url).join(', ') || 'none';
    case 'exclude':
      return draft.exclude.join(', ') || 'none';
    case 'startsAt':
    case 'endsAt':
      return draft[field] === ''
        ? 'none'
        : `${fullTime(draft[field], draft.timezone)}, ${draft.timezone}`;
    case 'onExcluded':
      return labelOf(ON_EXCLUDED, draft.onExcluded);
    case 'afterCompletion':
      return labelOf(AFTER_COMPLETION, draft.afterCompletion);
    case 'windowSeconds':
      return draft.windowSeconds === '' ? 'none' : `${draft.windowSeconds} s`;
    case 'maxRuns':
      return draft.maxRuns || 'no limit';
    case 'body':
      return shortened(draft.body) || 'none';
    case 'destination':
      return draft.destination || 'none';
    default:
      return isDelivery(field)
        ? deliveryText(draft, field)
        : draft[field] || (field in POLICY_WORDS ? 'the default' : 'empty');
  }
}

function isDelivery(field: Field): field is DeliveryField {
  return (DELIVERY_NAMES as string[]).includes(field);
}

const MOST_SHOWN = 200;

function shortened(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
