// By its path: the tests of drafts run without the bundler, which finds the package's sources.
import type { POLICY_FIELDS } from '../../../client/src/wire/schedule.ts';
import { span } from '../time/times.ts';

export { POLICY_FIELDS } from '../../../client/src/wire/schedule.ts';

/** The numbers of a policy that have a default. Their bounds and defaults are the client's. */

export type PolicyField = keyof typeof POLICY_FIELDS;

interface Words {
  label: string;
  /** At the beginning of a sentence. */
  subject: string;
  /** The meaning of a number in the form. */
  unit: string;
  shown: (value: number) => string;
}

export const POLICY_WORDS: Record<PolicyField, Words> = {
  timeoutSeconds: {
    label: 'Time limit',
    subject: 'The time limit',
    unit: 'Seconds',
    shown: seconds => `${seconds} s`,
  },
  maxRetries: {
    label: 'Retries',
    subject: 'Retries',
    unit: 'At most',
    shown: count => (count === 0 ? 'none' : `at most ${count}`),
  },
  /** The latest of the times that passed while nothing ran. */
  catchUpSeconds: {
    label: 'Catch up',
    subject: 'Catch up',
    unit: 'Seconds',
    shown: seconds => (seconds === 0 ? 'off' : `within ${span(seconds * 1_000)}`),
  },
};

export const POLICY_NAMES = Object.keys(POLICY_WORDS) as PolicyField[];

/** One value for each field. */
export function eachField<Value>(make: (field: PolicyField) => Value) {
  const pairs = POLICY_NAMES.map(field => [field, make(field)] as const);
  return Object.fromEntries(pairs) as Record<PolicyField, Value>;
}
