import assert from 'node:assert/strict';
import { PunctualError } from '../../src/domain/errors.ts';

/** The refusal that `work` ends with. It fails the test where nothing is thrown, or something else is. */
export async function thrownBy(work: () => unknown): Promise<PunctualError> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof PunctualError, `${error}`);
    return error;
  }
  assert.fail('nothing was thrown');
}
