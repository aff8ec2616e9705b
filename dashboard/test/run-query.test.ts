import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runQueryFrom, runsPath } from '../src/run/run-query.ts';

test('a filter goes into the address and comes back as it was', () => {
  const query = {
    status: 'failed',
    from: '2026-06-01T10:00:00.000Z',
    to: '2026-06-01T10:01:00.000Z',
    host: 'x.example:8443',
    responseStatus: 503,
    error: 'out of & ink',
    cause: 'status',
    scheduleId: 'a',
    tag: ['team:billing', 'env'],
  } as const;
  const path = runsPath({ ...query, tag: [...query.tag] });
  assert.deepEqual(runQueryFrom(new URLSearchParams(path.split('?')[1])), query);
});

test('what is no filter is left out', () => {
  const search = new URLSearchParams('from=soon&responseStatus=5&host=+&run=1&page=3&status=');
  assert.deepEqual(runQueryFrom(search), {});
});
