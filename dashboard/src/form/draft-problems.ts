import type { Problem } from '@punctual/client';
import { numberProblem, tooLong } from '../inputs/field-problems.ts';
import { POLICY_FIELDS, POLICY_NAMES, POLICY_WORDS } from '../schedule/policy-fields.ts';
import { COUNT_FIELDS, COUNT_NAMES } from '../schedule/timing-choices.ts';
import { deliveryProblems } from './delivery-draft.ts';
import type { Draft, Pair } from './draft.ts';

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
    ...pairProblems('tags', 'tag', draft.tags, name => name),
    ...tagProblems(draft.tags),
    ...externalIdProblem(draft.externalId.trim()),
    ...bodyProblem(draft),
    ...POLICY_NAMES.flatMap(field => {
      const bounds = { ...POLICY_FIELDS[field], subject: POLICY_WORDS[field].subject };
      return numberProblem(field, draft[field], bounds);
    }),
    ...COUNT_NAMES.flatMap(field => numberProblem(field, draft[field], COUNT_FIELDS[field])),
    ...deliveryProblems(draft),
  ];
}

function externalIdProblem(externalId: string): Problem[] {
  if (externalId === '' || /^[A-Za-z0-9._~:@-]{1,128}$/.test(externalId)) return [];
  const sentence = 'An external id has 1 to 128 letters, digits or characters of . _ ~ : @ -';
  return [{ where: 'externalId', sentence }];
}

const MOST_TAGS = 20;
const MOST_TAG_VALUE = 255;

function tagProblems(tags: Pair[]): Problem[] {
  const each = tags.flatMap(([name, value], index): Problem[] => {
    const where = `tags[${index}]`;
    const key = name.trim();
    if (key === '') return [];
    if (!/^[a-z0-9._/-]{1,63}$/.test(key)) {
      return [{ where, sentence: 'A tag has 1 to 63 characters of a-z 0-9 . _ / -' }];
    }
    if (key.startsWith('punctual.')) {
      return [{ where, sentence: 'Tags that begin with punctual. belong to the service.' }];
    }
    return tooLong(where, 'The value', value, MOST_TAG_VALUE);
  });
  const tooMany = tags.filter(([name]) => name.trim() !== '').length > MOST_TAGS;
  return tooMany ? [...each, { where: 'tags', sentence: 'A schedule has at most 20 tags.' }] : each;
}

const MOST_BODY_BYTES = 128 * 1024;

function bodyProblem({ body, data }: Draft): Problem[] {
  if (body === '') return [];
  const isBoth = data.some(([name]) => name.trim() !== '');
  if (isBoth) {
    return [
      { where: 'body', sentence: 'There are payload fields and a raw body: remove one of them.' },
    ];
  }
  if (new TextEncoder().encode(body).length <= MOST_BODY_BYTES) return [];
  return [{ where: 'body', sentence: 'The raw body is longer than 128 KiB.' }];
}

/** A row with nothing in it is none. */
function pairProblems(
  field: 'headers' | 'data' | 'tags',
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
