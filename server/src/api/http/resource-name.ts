import { PunctualError } from '../../domain/errors.ts';

/**
 * The name of a resource that its caller names.
 *
 * @param kind what it is, for the sentence
 * @throws PunctualError `request_invalid`
 */
export function checkResourceName(name: string, kind: string): void {
  if (NAME.test(name)) return;
  throw new PunctualError(
    'request_invalid',
    `The name of a ${kind} must have 1 to 63 characters of a-z, 0-9 and -, and must not begin with -.`,
    { refused: name },
  );
}

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
