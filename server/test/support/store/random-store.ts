import fc from 'fast-check';
import type { CalendarSource } from '../../../src/domain/calendar/exclusion/calendar-source.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Claim, OutboxClaim } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aCallback,
  aClient,
  anAttempt,
  anId,
  aRecord,
  changed,
  MINUTE,
  NOON,
  outboxSettlementOf,
  retrying,
  settlementOf,
  stored,
  waiting,
} from './backend.ts';
import { TEXTS } from './search-texts.ts';

/** Stores filled by chance through the contract: all kinds of rows, in every state. */

const TEXT = fc.constantFrom('', ...Object.values(TEXTS).filter(text => text.length < 500));
const KINDS = [
  ...['client', 'schedule', 'schedule', 'schedule', 'disabled', 'delete', 'change', 'trigger'],
  ...['calendar', 'calendar', 'stale', 'destination'],
  ...['claim', 'claim', 'succeed', 'fail', 'retry', 'end', 'miss', 'recover', 'revoke'],
  ...['send', 'send', 'delivered', 'undelivered', 'resend'],
] as const;

export interface Step {
  kind: (typeof KINDS)[number];
  /** Which of those that there are. */
  which: number;
  text: string;
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), which: fc.nat(9), text: TEXT }),
  { minLength: 1, maxLength: 60 },
);

interface Made {
  callers: Caller[];
  schedules: { caller: Caller; schedule: Schedule }[];
  claims: Claim[];
  sent: OutboxClaim[];
}

export async function fill(store: Store, steps: Step[]): Promise<void> {
  const made: Made = { callers: [], schedules: [], claims: [], sent: [] };
  for (const [index, step] of steps.entries()) await take(store, made, step, NOON + index * MINUTE);
}

async function take(store: Store, made: Made, { kind, which, text }: Step, now: number) {
  const { callers, schedules, claims, sent } = made;
  const caller = callers[which % callers.length];
  const chosen = schedules[which % schedules.length];
  switch (kind) {
    case 'client':
      callers.push(await aClient(store, `name ${text}`));
      return;
    case 'revoke': {
      const [key] = caller ? await store.keys.listKeys(caller.clientId) : [];
      const revocation = { revokedAt: now, withDescendants: which === 2 };
      if (key && which < 3) await store.keys.revokeKey(key.clientId, key.id, revocation);
      if (key && which === 3) {
        const { clientId, id: createdBy } = key;
        const made = { id: anId(now), clientId, hash: anId(now), createdAt: now, createdBy };
        await store.keys.insertKey(made);
      }
      if (caller && which > 3) {
        const rotation = { signingSecret: `whsec_${now}`, rotatedAt: now, replacesNew: false };
        await store.clients.rotateSecret(caller.clientId, { ...rotation, oldUntil: now + MINUTE });
      }
      return;
    }
    case 'schedule':
    case 'disabled': {
      if (!caller) return;
      const status = kind === 'schedule' ? 'enabled' : 'disabled';
      const start = kind === 'schedule' ? { first: now, second: now + MINUTE } : null;
      const fields = { status, ...oddFields(text) } as const;
      schedules.push({ caller, schedule: await stored(store, caller, fields, start) });
      return;
    }
    case 'delete':
    case 'change': {
      if (!chosen) return;
      const status = kind === 'delete' ? 'deleted' : 'enabled';
      const start = kind === 'delete' ? null : { first: now + MINUTE, second: null };
      const { caller: owner, schedule } = chosen;
      await changed(store, owner, schedule, { status, label: text }, now, start);
      return;
    }
    case 'calendar':
    case 'stale': {
      if (!caller) return;
      const { clientRowId } = caller;
      const name = ['a', 'b', 'c'][which % 3]!;
      const present = (await store.calendars.present(clientRowId, [name])).get(name);
      if (kind === 'calendar') {
        const periods = [{ from: now, to: now + MINUTE, isLocal: which > 4, summary: text }];
        const version = { version: anId(now), name, periods, source: sourceOf(which, text) };
        await store.calendars.put(clientRowId, version, now, now + MINUTE);
        await store.zoneRules.put([{ zone: name, release: text, changes: [[now, which]] }]);
      } else if (present !== undefined) {
        await store.calendars.refreshed(clientRowId, name, present, { fault: text }, now, now);
      }
      return;
    }
    case 'destination': {
      if (!caller) return;
      const name = ['a', 'b'][which % 2]!;
      const was = await store.destinations.find(caller.clientRowId, name);
      const config = { hosts: [text, 'a.example'] };
      const secrets = which > 4 ? { secrets: `{"token":${JSON.stringify(text)}}` } : {};
      const change = { config, version: anId(now), ...secrets };
      await store.destinations.put(caller, name, was?.version ?? null, change, now);
      return;
    }
    case 'trigger': {
      const run = { id: anId(now), scheduledFor: now };
      if (chosen)
        await store.outbox.insertManual(chosen.caller.clientRowId, chosen.schedule.id, run);
      return;
    }
    case 'claim':
      claims.push(...(await store.queue.claim(now, 3, NOON)).claims);
      return;
    case 'recover':
      await store.queue.recover(now);
      await store.outbox.recover(now);
      return;
    case 'send':
      sent.push(...(await store.outbox.claim(now, 2)));
      return;
    case 'delivered':
    case 'undelivered':
    case 'resend':
      return settleSent(store, sent.shift(), kind, now);
    default:
      return settleClaim(store, claims.shift(), kind, now, text);
  }
}

async function settleClaim(
  store: Store,
  claim: Claim | undefined,
  kind: 'succeed' | 'fail' | 'retry' | 'end' | 'miss',
  now: number,
  text: string,
): Promise<void> {
  if (claim === undefined) return;
  const { scheduledFor, schedule: claimed } = claim;
  const status = kind === 'fail' ? 'failed' : kind === 'miss' ? 'missed' : 'succeeded';
  const missed = { count: 1_001, from: scheduledFor, to: now };
  const answered = { responseBody: text, responseHeaders: { 'x-odd': text } };
  const record = aRecord(claimed.id, scheduledFor, {
    status,
    attempts: kind === 'miss' ? [] : [anAttempt(1, answered), anAttempt(2)],
    ...(kind === 'miss' && { missed, reason: text || 'down' }),
  });
  const callbacks = kind === 'fail' ? [aCallback(record.id, { dueAt: now, body: text })] : [];
  const row =
    kind === 'retry'
      ? retrying(claim, now + MINUTE)
      : kind === 'end'
        ? null
        : waiting(now + MINUTE, null);
  const records = kind === 'retry' ? [] : [record];
  await store.queue.settle([settlementOf(claim, row, { records, callbacks })]);
}

async function settleSent(
  store: Store,
  claim: OutboxClaim | undefined,
  kind: 'delivered' | 'undelivered' | 'resend',
  now: number,
): Promise<void> {
  if (claim === undefined) return;
  const next =
    kind === 'resend' ? { dueAt: now } : kind === 'delivered' ? 'succeeded' : ('failed' as const);
  const isRun = claim.kind === 'manual' && typeof next === 'string';
  const { id, scheduleRowId: _, ...rest } = claim;
  const fields =
    isRun && rest.kind === 'manual'
      ? { record: aRecord('', rest.scheduledFor, { id, trigger: 'manual', status: next }) }
      : {};
  await store.outbox.settle([outboxSettlementOf(claim, next, fields)]);
}

function sourceOf(which: number, text: string): CalendarSource {
  if (which % 2 === 0) return { kind: 'url', url: `https://a.example/${which}`, ics: text };
  return { kind: 'periods', periods: [{ from: '2026-06-01', to: '2026-06-02', summary: text }] };
}

function oddFields(text: string): Partial<Schedule> {
  return {
    tags: { odd: text },
    // No version: so none has to be known.
    timing: { exclude: ['a', 'b'], calendars: [] },
    label: text,
    headers: { 'X-Odd': text },
    data: { [text]: text },
    integrations: [],
    policy: { maxRetries: 2 },
    ...(text.length % 2 === 0 && { updatedAt: NOON + 1 }),
  };
}

/** All that the contract tells of what a store keeps. */
export async function contents(store: Store) {
  const clients = await store.clients.listClients();
  return {
    owned: await Promise.all(clients.map(({ id }) => ownedBy(store, id))),
    clients,
    dueAt: [await store.queue.nextDueAt(), await store.outbox.nextDueAt()],
    depth: [await store.queue.depth(Number.MAX_SAFE_INTEGER), await store.outbox.depth()],
    zoneRules: await store.zoneRules.list(),
    zones: await store.zoneRules.zonesInUse(),
    calendarDueAt: await store.calendars.nextDueAt(),
    stale: await store.calendars.stale(),
  };
}

async function ownedBy(store: Store, clientId: string) {
  const keys = await store.keys.listKeys(clientId);
  const callers = await Promise.all(keys.map(({ hash }) => store.keys.findCaller(hash)));
  const clientRowId = callers.find(caller => caller !== null)?.clientRowId;
  if (clientRowId === undefined) return { keys, callers };
  const { schedules: live } = await store.schedules.list(clientRowId, {}, 1e6);
  const { schedules: deleted } = await store.schedules.list(
    clientRowId,
    { status: 'deleted' },
    1e6,
  );
  const schedules = [...live, ...deleted];
  const runs = await store.runs.list(clientRowId, {}, 1e6);
  const { calendars, destinations } = store;
  const names = ['a', 'b', 'c'];
  const sourced = await Promise.all(names.map(name => calendars.findSourced(clientRowId, name)));
  const said = await calendars.versions(sourced.flatMap(each => each?.version ?? []));
  return {
    sourced,
    destinations: await destinations.present(names.map(name => ({ clientRowId, name }))),
    said: said.sort((a, b) => (a.version < b.version ? -1 : 1)),
    usedBy: await calendars.usedBy(clientRowId, names),
    named: await calendars.namedBy(clientRowId, 'a', Number.MAX_SAFE_INTEGER, 1e6),
    keys,
    callers,
    versions: await Promise.all(schedules.map(({ id }) => store.schedules.find(clientRowId, id))),
    runs,
    found: await Promise.all(runs.map(({ id }) => store.runs.find(clientRowId, id))),
    callbacks: await Promise.all(runs.map(({ id }) => store.runs.callbacks(clientRowId, id))),
    folded: (await store.schedules.list(clientRowId, { label: 'ﬁ' }, 1e6)).schedules,
  };
}

/** What the next engine finds: what was in flight is recovered, and all that is due is claimed. */
export async function taken(store: Store, now: number) {
  return {
    recovered: [await store.queue.recover(now), await store.outbox.recover(now)],
    claims: inOrder(
      (await store.queue.claim(now, 1_000, now)).claims,
      claim => claim.scheduleRowId,
    ),
    sent: inOrder((await store.outbox.claim(now, 1_000)).map(sendable), claim => claim.id),
  };
}

/** No request depends on `updatedAt`: a backend may leave it out of what it claims. */
function sendable(claim: OutboxClaim): OutboxClaim {
  if (claim.kind === 'callback') return claim;
  const { updatedAt: _, ...claimed } = claim.schedule;
  return { ...claim, schedule: claimed };
}

/** Of what is due at one instant, either may be taken first. */
function inOrder<Claimed>(claims: Claimed[], keyOf: (claim: Claimed) => string | number) {
  return claims.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
