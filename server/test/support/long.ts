/**
 * The `skip` of a test that takes too long for every run of `npm test`: `npm run test:long` runs it. Where a whole file
 * does, it is called `*.long.test.ts` instead.
 */
export const skipUnlessLong =
  process.env.PUNCTUAL_TEST_LONG === undefined && 'one of the long tests';

/** Whether this is a long run, for a test that does more of the same in one. */
export const isLongRun = skipUnlessLong === false;

/** How many cases a property is tried with: `count` in a long run, a fifth of them in a quick one. */
export const casesOf = (count: number) => (isLongRun ? count : Math.ceil(count / 5));
