import { test } from 'node:test';
import { MUTANTS } from './list.ts';
import { patchOf } from './patch-of.ts';

test('each mutant can be put into the sources as they are', async () => {
  for (const mutant of MUTANTS) await patchOf(mutant);
});
