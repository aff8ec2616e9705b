import { PunctualError } from '../errors.ts';

/** The identity of a schedule to its caller: its external id, and its tags. */

/** @throws PunctualError `request_invalid` */
export function checkExternalId(externalId: string): void {
  if (isExternalId(externalId)) return;
  throw new PunctualError(
    'request_invalid',
    'externalId must have 1 to 128 characters of A-Z a-z 0-9 . _ ~ : @ - and no others.',
    { refused: externalId },
  );
}

export function isExternalId(text: string): boolean {
  return EXTERNAL_ID.test(text);
}

const EXTERNAL_ID = /^[A-Za-z0-9._~:@-]{1,128}$/;

/** @throws PunctualError `request_invalid`; a value never stands in the sentence */
export function checkTags(tags: Record<string, string>): void {
  const entries = Object.entries(tags);
  if (entries.length > MOST_TAGS) fail(`at most ${MOST_TAGS} tags are allowed.`);
  for (const [key, value] of entries) {
    const named = JSON.stringify(key.slice(0, MOST_KEY + 1));
    if (!TAG_KEY.test(key)) {
      fail(`the key ${named} must have 1 to 63 characters of a-z 0-9 . _ / - and no others.`, key);
    }
    if (key.startsWith(OWN_PREFIX)) fail(`keys that begin with ${OWN_PREFIX} are the service's.`);
    if ([...value].length > MOST_VALUE) {
      fail(`the value of ${named} has more than ${MOST_VALUE} characters.`);
    }
  }
}

function fail(sentence: string, refused = ''): never {
  throw new PunctualError('request_invalid', `tags: ${sentence}`, { refused });
}

const MOST_TAGS = 20;
const MOST_KEY = 63;
const MOST_VALUE = 255;
const TAG_KEY = /^[a-z0-9._/-]{1,63}$/;
const OWN_PREFIX = 'punctual.';

/** Whether a schedule can have this tag: `team:billing`, or `team` for any value. */
export function isTagFilter(tag: string): boolean {
  const [key = '', ...rest] = tag.split(':');
  return TAG_KEY.test(key) && [...rest.join(':')].length <= MOST_VALUE;
}
