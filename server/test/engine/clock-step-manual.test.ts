import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { time, World } from '../support/engine/world.ts';

/** The nominal times of all requests, in the order in which they left. */
function nominal(world: World): string[] {
  return world.sent.map(({ headers }) => time(Date.parse(headers['punctual-scheduled-for']!)));
}

describe('a time that was sent by a clock that was ahead', () => {
  for (const overlap of ['bufferOne', 'skip'] as const) {
    test(`is not decided about anew behind a manual run that begins before it comes again (${overlap})`, async () => {
      const world = await World.start('2026-03-01T12:00:00Z');
      const { id } = await world.schedule({ interval: '*/10 * * * * *', policy: { overlap } });
      await world.clock.jump('2026-03-01T12:00:49.500Z');
      await world.clock.advance(1_000);
      await world.clock.jump('2026-03-01T12:00:02.500Z');
      await world.clock.advanceTo('2026-03-01T12:00:29.900Z');
      world.answer = () => 'hang';
      await world.trigger(id);
      await world.clock.advanceTo('2026-03-01T12:00:45Z');
      world.answer = () => 200;
      await world.release();
      await world.clock.advanceTo('2026-03-01T12:00:55Z');
      const sent = nominal(world);
      assert.equal(sent.filter(each => each === '12:00:40').length, 1, sent.join());
      const history = await world.history();
      assert.ok(history.includes('12:00:40 succeeded'), history.join());
    });
  }
});
