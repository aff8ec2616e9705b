import type { OpenBackend } from '../../support/store/backend.ts';
import { accessContract } from './access.ts';
import { aheadContract } from './ahead.ts';
import { breakersContract } from './breakers.ts';
import { clientsContract } from './clients.ts';
import { dataKeysContract } from './data-keys.ts';
import { historiesContract } from './histories.ts';
import { installationContract } from './installation.ts';
import { lateChangeContract } from './late-change.ts';
import { outboxContract } from './outbox.ts';
import { pruneContract } from './prune.ts';
import { queueContract } from './queue.ts';
import { recountContract } from './recount.ts';
import { recoveryContract } from './recovery.ts';
import { requeueContract } from './requeue.ts';
import { runListContract } from './run-list.ts';
import { runsContract } from './runs.ts';
import { scheduleAtContract } from './schedule-at.ts';
import { scheduleListContract } from './schedule-list.ts';
import { schedulesContract } from './schedules.ts';
import { searchContract } from './search.ts';
import { secretsContract } from './secrets.ts';
import { settleContract } from './settle.ts';
import { sizeContract } from './size.ts';
import { statsContract } from './stats.ts';
import { suspensionsContract } from './suspensions.ts';

/**
 * The store contract (`src/store/contract/store.ts`), each promise a test. Every backend's test file calls it
 * with a way to open an empty store; no backend has exceptions.
 */
export function storeContract(name: string, open: OpenBackend): void {
  for (const contract of [
    clientsContract,
    accessContract,
    secretsContract,
    dataKeysContract,
    schedulesContract,
    scheduleListContract,
    searchContract,
    requeueContract,
    lateChangeContract,
    queueContract,
    aheadContract,
    settleContract,
    recoveryContract,
    recountContract,
    installationContract,
    suspensionsContract,
    outboxContract,
    runsContract,
    runListContract,
    pruneContract,
    scheduleAtContract,
    statsContract,
    breakersContract,
    sizeContract,
    historiesContract,
  ]) {
    contract(name, open);
  }
}
