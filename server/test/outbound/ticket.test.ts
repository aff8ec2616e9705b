import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { monotonicMs, Term, Ticket } from '../../src/outbound/ticket.ts';

describe('a ticket goes to whoever comes first', () => {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const kinds: [string, () => [engine: Ticket, sender: Ticket]][] = [
    ['in one thread', () => pair(new Ticket())],
    ['between two', () => [sharedTicket(), Ticket.at(shared, 1)]],
  ];

  function pair(ticket: Ticket): [Ticket, Ticket] {
    return [ticket, ticket];
  }

  function sharedTicket(): Ticket {
    const ticket = new Ticket();
    ticket.share(shared, 1);
    return ticket;
  }

  for (const [where, make] of kinds) {
    test(`${where}: called back, it does not start`, () => {
      const [engine, sender] = make();
      engine.cancel();
      assert.equal(sender.start(), false);
      assert.equal(sender.start(), false);
    });

    test(`${where}: started, it cannot be called back`, () => {
      const [engine, sender] = make();
      assert.equal(sender.start(), true);
      engine.cancel();
      assert.equal(sender.start(), true);
    });
  }

  test('after the term of its node it does not start, seen from the other thread too', () => {
    const term = new Term(60_000);
    const seenThere = new Term(0, term.shared);
    const tickets = () => {
      sharedTicket();
      return [new Ticket(term), Ticket.at(shared, 1, seenThere)];
    };
    term.renewed(monotonicMs());
    for (const ticket of tickets()) assert.equal(ticket.start(), true);
    term.renewed(monotonicMs() - 60_000);
    for (const ticket of tickets()) {
      assert.equal(ticket.start(), false);
      assert.equal(ticket.isCancelled, true);
    }
  });

  test('called back before it is shared, it stays so', () => {
    const ticket = new Ticket();
    ticket.cancel();
    ticket.share(shared, 1);
    assert.equal(Ticket.at(shared, 1).start(), false);
  });

  test('no longer shared, it leaves its place alone', () => {
    const old = sharedTicket();
    old.unshare();
    const next = sharedTicket();
    old.cancel();
    assert.equal(next.start(), true);
  });
});
