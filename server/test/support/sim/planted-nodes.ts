import type { Rule } from '../../../sim/model/rules/rule.ts';
import type { Patch } from '../crash/mutate.ts';

/** Bugs of nodes that share a store, which the simulator must find. */

export interface NodeBug {
  name: string;
  /** One of these must be said of it, whatever else. */
  rules: Rule[];
  patches: Patch[];
  /** That are on in the worlds that find it. */
  faults: string[];
}

export const NODE_BUGS: NodeBug[] = [
  {
    name: 'the lease deadline is not asked before a request starts',
    rules: ['unheld'],
    faults: ['nodes'],
    patches: [
      {
        file: 'outbound/start-permit.ts',
        find: 'if (this.#leaseDeadline?.isOver) this.cancel();',
        replace: '',
      },
    ],
  },
  {
    name: 'leases are not renewed',
    rules: ['notRenewed'],
    faults: ['nodes'],
    patches: [
      {
        file: 'engine/services/lease-renewer.ts',
        find: 'await this.#options.renew(clock.now() - leaseMs / LOOKS_PER_LEASE);',
        replace: '',
      },
    ],
  },
  {
    name: 'nobody takes over what a node held that is gone',
    rules: ['unfinished', 'unrecorded'],
    faults: ['nodes'],
    patches: [
      {
        file: 'engine/services/lease-renewer.ts',
        find: 'if (startedAt >= this.#patientUntil) await',
        replace: 'if (startedAt < 0) await',
      },
    ],
  },
  {
    name: 'a start counts as unseen what other nodes were up for',
    rules: ['missedWhileUp', 'latestMissed'],
    faults: ['nodes'],
    patches: [{ file: 'engine/engine.ts', find: 'cluster?.looked,', replace: 'undefined,' }],
  },
  {
    name: 'leases of callbacks and manual runs are not renewed',
    rules: ['notRenewed'],
    faults: ['nodes'],
    patches: [
      {
        file: 'engine/delivery/renew-claims.ts',
        find: 'outbox.renew([...ofOutbox.map(({ id }) => id), ...completer.unsettledOfOutbox]),',
        replace: 'ofOutbox.map(({ id }) => id),',
      },
    ],
  },
  {
    name: 'nobody takes over the callbacks and manual runs of a node that is gone',
    rules: ['callbackUnfinished', 'unfinished'],
    faults: ['nodes'],
    patches: [
      {
        file: 'engine/services/lease-renewer.ts',
        find: '(await store.queue.recover(now)) + (await store.outbox.recover(now))',
        replace: 'await store.queue.recover(now)',
      },
    ],
  },
  {
    name: 'a node waits for three leases before it takes over',
    rules: ['heldOn'],
    faults: ['nodes'],
    patches: [
      {
        file: 'engine/services/lease-renewer.ts',
        find: 'if (startedAt >= this.#patientUntil) await',
        replace: 'if (startedAt >= this.#patientUntil + 2 * leaseMs) await',
      },
    ],
  },
  {
    name: 'a claim of a node that hears late is not confirmed before it is sent',
    rules: ['firedStopped', 'notDue'],
    faults: ['nodes', 'edits'],
    patches: [
      {
        file: 'engine/delivery/confirm-claims.ts',
        find: 'if (leaseDeadline === undefined) return () => true;',
        replace: 'if (leaseDeadline !== null) return () => true;',
      },
    ],
  },
  {
    name: 'nobody looks for what other nodes have written',
    rules: ['late', 'missedWhileUp', 'unrecorded'],
    faults: ['nodes', 'quiet'],
    patches: [
      {
        file: 'engine/engine.ts',
        find: 'pollMs: cluster ? POLL_MS : undefined,',
        replace: 'pollMs: undefined,',
      },
    ],
  },
  {
    name: 'what a node gives back at its stop is known after two seconds only',
    rules: ['late'],
    faults: ['nodes', 'quiet', 'stop'],
    patches: [
      { file: 'engine/engine.ts', find: 'const POLL_MS = 500;', replace: 'const POLL_MS = 2_000;' },
    ],
  },
];
