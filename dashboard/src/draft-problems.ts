import type { Problem } from '@punctual/client';
import type { Draft, Pair } from './draft.ts';
import { POLICY_FIELDS, POLICY_NAMES, POLICY_WORDS, type PolicyField } from './policy-fields.ts';

/**
 * The problems of a draft that the page finds itself, each at its field. A body cannot express some
 * of them, such as two headers of one name. For the others the service would refuse the whole body
 * before it checks the rest.
 */
export function draftProblems(draft: Draft): Problem[] {
  return [
    ...tooLong('label', 'The label', draft.label, 500),
    ...tooLong('url', 'The url', draft.url.trim(), 2_048),
    ...pairProblems('headers', 'header', draft.headers, name => name.toLowerCase()),
    ...pairProblems('data', 'payload field', draft.data, name => name),
    ...draft.integrations.flatMap(({ name = '', url }, index) => [
      ...tooLong(`integrations[${index}].name`, 'The name', name, 500),
      ...tooLong(`integrations[${index}].url`, 'The url', url, 2_048),
    ]),
    ...POLICY_NAMES.flatMap(field => numberProblem(field, draft[field])),
  ];
}

function numberProblem(field: PolicyField, text: string): Problem[] {
  const { from, to } = POLICY_FIELDS[field];
  const trimmed = text.trim();
  const isWithin = /^\d{1,9}$/.test(trimmed) && Number(trimmed) >= from && Number(trimmed) <= to;
  if (trimmed === '' || isWithin) return [];
  const bounds = `${from} to ${to.toLocaleString('en-GB')}`;
  return [
    {
      where: field,
      sentence: `${POLICY_WORDS[field].subject} must be a whole number from ${bounds}.`,
    },
  ];
}

function tooLong(where: string, name: string, text: string, most: number): Problem[] {
  const length = [...text].length;
  if (length <= most) return [];
  const sentence = `${name} has ${length} characters, above the limit of ${most}.`;
  return [{ where, sentence }];
}

/** A row with nothing in it is none. */
function pairProblems(
  field: 'headers' | 'data',
  what: string,
  pairs: Pair[],
  folded: (name: string) => string,
): Problem[] {
  const first = new Map<string, number>();
  return pairs.flatMap(([name, value], index) => {
    const where = `${field}[${index}]`;
    const trimmed = name.trim();
    if (trimmed === '') {
      return value === '' ? [] : [{ where, sentence: `This value has no name.` }];
    }
    const before = first.get(folded(trimmed));
    if (before === undefined) {
      first.set(folded(trimmed), index);
      return [];
    }
    const sentence = `${trimmed} is there already, as ${what} ${before + 1}. Each name is sent once.`;
    return [{ where, sentence }];
  });
}
