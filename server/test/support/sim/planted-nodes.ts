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
    rules: ['overlap', 'fence', 'sentTwice', 'duplicateWithoutCrash', 'arrivalUnrecorded'],
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
    rules: ['overlap', 'fence', 'lostWithoutCrash', 'duplicateWithoutCrash'],
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
    rules: ['lostWithoutCrash', 'overlap'],
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
];
