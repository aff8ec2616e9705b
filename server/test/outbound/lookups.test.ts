import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { LeaseDeadline, monotonicMs } from '../../src/outbound/lease-deadline.ts';
import { LOOKUP_CANCELLED, type LookupRequester, Lookups } from '../../src/outbound/lookups.ts';
import { StartPermit } from '../../src/outbound/start-permit.ts';
import { answer, get, leftOpen, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

const MOST = 16;

/** A resolver that answers when the test says so. */
function resolver() {
  const asked: string[] = [];
  const open = new Map<string, ((error: Error | null) => void)[]>();
  const resolve = (hostname: string) => {
    asked.push(hostname);
    const { promise, resolve: found, reject: failed } = Promise.withResolvers<string[]>();
    const ends = open.get(hostname) ?? [];
    open.set(hostname, ends);
    ends.push(error => (error === null ? found(['127.0.0.1']) : failed(error)));
    return promise;
  };
  /** Ends the lookup of the name that was begun first. */
  const end = async (hostname: string, error: Error | null = null) => {
    open.get(hostname)!.shift()!(error);
    await new Promise(setImmediate);
  };
  return { resolve, asked, end };
}

interface Told extends LookupRequester {
  ended: unknown[];
  began: boolean;
  cancelled: boolean;
}

function asker(clientRowId: number): Told {
  return {
    clientRowId,
    ended: [],
    began: false,
    cancelled: false,
    isCancelled() {
      return this.cancelled;
    },
    begin() {
      this.began = !this.cancelled;
      return this.began;
    },
    found(addresses) {
      this.ended.push(addresses);
    },
    failed(error) {
      this.ended.push(error);
    },
  };
}

/** As many names of a client as are told, none of which is asked for twice. */
function askFor(lookups: Lookups, clientRowId: number, count: number): Told[] {
  return Array.from({ length: count }, (_, n) => {
    const one = asker(clientRowId);
    lookups.ask(`${n}.of-${clientRowId}.test`, one);
    return one;
  });
}

test('a client holds as many places as are left for all others, however many names it has', () => {
  const { resolve, asked } = resolver();
  const lookups = new Lookups(resolve, MOST);
  const begun = [1, 2, 3, 4, 5].map(
    clientRowId => askFor(lookups, clientRowId, 200).filter(({ began }) => began).length,
  );
  assert.deepEqual(begun, [8, 4, 2, 1, 1]);
  assert.equal(asked.length, MOST);
  assert.equal(lookups.underWay, MOST);
});

test('clients have their turns one after the other when places become free', async () => {
  const { resolve, asked, end } = resolver();
  const lookups = new Lookups(resolve, 2);
  askFor(lookups, 1, 4);
  askFor(lookups, 2, 3);
  askFor(lookups, 3, 2);
  while (asked.length < 9) await end(asked[asked.length - 2]!);
  assert.deepEqual(
    asked.map(name => name.slice(0, 6)),
    ['0.of-1', '0.of-2', '1.of-1', '1.of-2', '0.of-3', '2.of-1', '2.of-2', '1.of-3', '3.of-1'],
  );
});

test('who asks for a name that is being looked up gets the same answer, and nothing is remembered', async () => {
  const { resolve, asked, end } = resolver();
  const lookups = new Lookups(resolve, MOST);
  const both = [asker(1), asker(2)];
  for (const one of both) lookups.ask('same.test', one);
  await end('same.test');
  for (const one of both) assert.deepEqual(one.ended, [['127.0.0.1']]);
  lookups.ask('same.test', asker(1));
  assert.deepEqual(asked, ['same.test', 'same.test']);
});

test('a name that another client began to look up in the meantime takes no place when its turn comes', async () => {
  const { resolve, asked, end } = resolver();
  const lookups = new Lookups(resolve, 2);
  lookups.ask('first.test', asker(1));
  const waits = asker(1);
  lookups.ask('same.test', waits);
  lookups.ask('same.test', asker(2));
  assert.equal(waits.began, false);
  await end('first.test');
  assert.equal(waits.began, true);
  assert.deepEqual(asked, ['first.test', 'same.test']);
  await end('same.test');
  assert.deepEqual(waits.ended, [['127.0.0.1']]);
  assert.equal(lookups.underWay, 0);
});

test('a name for which nobody waits any more is not looked up', async () => {
  const { resolve, asked, end } = resolver();
  const lookups = new Lookups(resolve, 1);
  const [first, second, third] = askFor(lookups, 1, 3);
  lookups.leave('1.of-1.test', second!);
  await end('0.of-1.test');
  assert.deepEqual(asked, ['0.of-1.test', '2.of-1.test']);
  assert.equal(first!.ended.length, 1);
  assert.deepEqual([second!.ended, second!.began, third!.began], [[], false, true]);
});

test('a lookup that everybody has left keeps its place until it ends, and its name is looked up anew', async () => {
  const { resolve, asked, end } = resolver();
  const lookups = new Lookups(resolve, 2);
  const early = asker(1);
  lookups.ask('slow.test', early);
  lookups.leave('slow.test', early);
  assert.equal(lookups.underWay, 1);
  const [waits, other] = [asker(1), asker(2)];
  lookups.ask('slow.test', waits);
  lookups.ask('slow.test', other);
  assert.deepEqual([waits.began, other.began], [false, true]);
  await end('slow.test');
  assert.deepEqual([early.ended, other.ended], [[], []]);
  assert.equal(waits.began, true);
  assert.equal(asked.length, 2);
  await end('slow.test', new Error('no'));
  for (const { ended } of [waits, other]) assert.match(String(ended[0]), /no/);
});

test('what is called back while it waits leaves at once, or at its turn', async () => {
  const { resolve, asked, end } = resolver();
  const lookups = new Lookups(resolve, 1);
  const [begun, swept, late, last] = askFor(lookups, 1, 4);
  for (const one of [begun, swept]) one!.cancelled = true;
  lookups.sweep();
  assert.deepEqual([begun!.ended, swept!.ended], [[], [LOOKUP_CANCELLED]]);
  late!.cancelled = true;
  await end('0.of-1.test');
  assert.deepEqual(late!.ended, [LOOKUP_CANCELLED]);
  assert.equal(last!.began, true);
  assert.deepEqual(asked, ['0.of-1.test', '3.of-1.test']);
});

/** A sender of which names in `slow.test` are never resolved, and all others at once. */
function sendPastSlowNames(t: TestContext, lookupMs?: number) {
  const { resolve: never, asked } = resolver();
  const resolve = async (hostname: string) =>
    hostname.endsWith('.slow.test') ? never(hostname) : ['127.0.0.1'];
  const options = { resolve, maxLookups: 4, ...(lookupMs !== undefined && { lookupMs }) };
  const made = sender(t, options);
  return { ...made, asked };
}

test('slow names of one client hold up no request of another', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { send, asked } = sendPastSlowNames(t);
  for (let n = 0; n < 200; n += 1) {
    void send(get(`http://${n}.slow.test/`, { clientRowId: 1, timeoutMs: 60_000 }));
  }
  for (let n = 0; n < 10; n += 1) {
    const url = `http://${n}.quick.test:${target.port}/`;
    assert.equal((await send(get(url, { clientRowId: 2 }))).outcome, 'response');
  }
  assert.equal(asked.length, 2);
});

test('a lookup has a time limit of its own, and says so', async t => {
  const { send } = sendPastSlowNames(t, 100);
  const { outcome, error, durationMs } = await send(get('http://a.slow.test/'));
  assert.equal(outcome, 'connectionError');
  assert.equal(error, 'The name of a.slow.test:80 could not be resolved within 0.1 s.');
  assert.ok(durationMs >= 100, 'never before the limit');
});

test('the time limit of an attempt that waits for its turn says so, and it is looked up no more', async t => {
  const { send, asked } = sendPastSlowNames(t);
  const all = [1, 2, 3].map(n =>
    send(get(`http://${n}.slow.test/`, { clientRowId: 1, timeoutMs: n === 3 ? 100 : 200 })),
  );
  const [, second, third] = await Promise.all(all);
  assert.equal(
    second!.error,
    'The time limit of 0.2 s passed while resolving the name of 2.slow.test:80.',
  );
  assert.equal(third!.outcome, 'timeout');
  assert.equal(
    third!.error,
    'The time limit of 0.1 s passed while waiting for a turn to resolve the name of 3.slow.test:80.',
  );
  assert.deepEqual(asked, ['1.slow.test', '2.slow.test']);
});

test('a request that waits for its turn can be called back, and one that has begun cannot', async t => {
  const { send, asked, stats } = sendPastSlowNames(t);
  const permits = Array.from({ length: 10 }, () => new StartPermit());
  const all = permits.map((permit, n) =>
    send(get(`http://${n}.slow.test/`, { clientRowId: 1, permit, timeoutMs: 300 })),
  );
  for (const permit of permits) permit.cancel();
  const late = new StartPermit();
  late.cancel();
  all.push(send(get('http://late.slow.test/', { clientRowId: 1, permit: late })));
  await Promise.all(all.slice(2));
  assert.equal(stats().inFlight, 2);
  const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ['timeout', 'timeout', ...Array(9).fill('cancelled')]);
  assert.deepEqual(asked, ['0.slow.test', '1.slow.test']);
});

test('a request that is abandoned during its lookup is never written', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { resolve, asked, end } = resolver();
  const { send, stats } = sender(t, { resolve });
  const permits = [new StartPermit(), new StartPermit()] as const;
  const [abandoned, other] = permits.map((permit, n) =>
    send(get(`http://${n}.test:${target.port}/`, { permit })),
  );
  await new Promise(setImmediate);
  assert.deepEqual(asked, ['0.test', '1.test']);
  permits[0].abandon();
  for (const name of asked) await end(name);
  assert.equal((await abandoned!).outcome, 'cancelled');
  assert.equal((await other!).outcome, 'response');
  assert.equal(target.requests.length, 1);
  assert.equal(stats().inFlight, 0);
});

test('a request of which the node loses the lease during its lookup is never written', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { resolve, asked, end } = resolver();
  const { send, stats } = sender(t, { resolve });
  const [lost, held] = [new LeaseDeadline(60_000), new LeaseDeadline(60_000)];
  const all = [lost, held].map((deadline, n) => {
    deadline.renewed(monotonicMs());
    return send(get(`http://${n}.test:${target.port}/`, { permit: new StartPermit(deadline) }));
  });
  await new Promise(setImmediate);
  lost.renewed(monotonicMs() - 60_000);
  for (const name of asked) await end(name);
  const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ['cancelled', 'response']);
  assert.equal(target.requests.length, 1);
  assert.equal(stats().inFlight, 0);
});

test('what was called back on another thread leaves at the next sweep', async t => {
  const { send, sweep, stats } = sendPastSlowNames(t);
  const shared = new Int32Array(new SharedArrayBuffer(40));
  const all = Array.from({ length: 10 }, (_, place) => {
    const permit = StartPermit.at(shared, place);
    return send(get(`http://${place}.slow.test/`, { clientRowId: 1, permit, timeoutMs: 300 }));
  });
  for (let place = 0; place < 10; place += 1) StartPermit.at(shared, place).cancel();
  sweep();
  const outcomes = (await Promise.all(all.slice(2))).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, Array(8).fill('cancelled'));
  assert.equal(stats().inFlight, 2);
  await Promise.all(all);
});
