import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Sent, World } from '../support/engine/world.ts';

const MINUTE = 60_000;

/** A target that keeps the highest fence of each schedule, as docs/targets.md shows it. */
class FencedTarget {
  readonly #highest = new Map<string, number>();
  readonly refused: string[] = [];
  taken = 0;

  answer = ({ headers }: Sent): number => {
    const id = headers['punctual-schedule-id']!;
    const fence = Number(headers['punctual-fence']);
    assert.match(headers['punctual-fence']!, /^[1-9][0-9]*$/);
    if (fence <= (this.#highest.get(id) ?? 0)) {
      this.refused.push(`${headers['webhook-id']} ${fence}`);
      return 409;
    }
    this.#highest.set(id, fence);
    this.taken += 1;
    return this.taken % 3 === 0 ? 503 : 200;
  };
}

const fences = (world: World) => world.sent.map(sent => Number(sent.headers['punctual-fence']));

describe('the fence', () => {
  test('grows with firings, retries, manual runs, kills and a clock that is set back', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    const target = new FencedTarget();
    world.answer = target.answer;
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(4 * MINUTE);
    await world.trigger(id);
    await world.clock.advance(10_000);
    await world.crash();
    await world.clock.advance(MINUTE);
    await world.clock.jump(world.clock.now() - 10 * MINUTE);
    await world.trigger(id);
    await world.clock.advance(15 * MINUTE);
    assert.deepEqual(target.refused, []);
    assert.ok(target.taken > 10, `${target.taken} attempts`);
  });

  test('a request that outlasts its engine is refused by a target that has seen the next', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(60 * MINUTE);
    await world.crash();
    world.answer = () => 200;
    await world.clock.advance(MINUTE);
    const [late, again] = fences(world);
    assert.equal(world.sent.length, 2);
    assert.ok(late! < again!, `${late} of the attempt that was cut off, ${again} of the next`);
    assert.equal(world.sent[0]!.headers['webhook-id'], world.sent[1]!.headers['webhook-id']);
  });

  test('callbacks have none', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    const hook = { id: 'h', type: 'WEBHOOK' as const, name: 'h', url: 'https://hooks.example/' };
    const integrations = [{ ...hook, includeScheduleUrlInCallback: false, callOnSuccess: true }];
    await world.schedule({ interval: '* * * * *', integrations });
    await world.clock.advance(MINUTE);
    const [firing, callback] = world.sent;
    assert.deepEqual(
      [firing, callback].map(sent => 'punctual-fence' in sent!.headers),
      [true, false],
    );
  });
});
