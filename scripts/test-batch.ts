import { after, suite } from 'node:test';

/** Runs the test files that it is given one after the other in this process: each as a suite, so that its hooks are its own. */

for (const path of process.argv.slice(2)) {
  const { promise, resolve } = Promise.withResolvers<void>();
  suite(path, async () => {
    try {
      await import(path);
      after(() => resolve());
    } catch (error) {
      resolve();
      throw error;
    }
  });
  await promise;
}
