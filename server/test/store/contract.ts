import type { OpenBackend } from './backend.ts';
import { accessContract } from './contract-access.ts';
import { aheadContract } from './contract-ahead.ts';
import { breakersContract } from './contract-breakers.ts';
import { clientsContract } from './contract-clients.ts';
import { dataKeysContract } from './contract-data-keys.ts';
import { historiesContract } from './contract-histories.ts';
import { installationContract } from './contract-installation.ts';
import { lateChangeContract } from './contract-late-change.ts';
import { outboxContract } from './contract-outbox.ts';
import { pruneContract } from './contract-prune.ts';
import { queueContract } from './contract-queue.ts';
import { recountContract } from './contract-recount.ts';
import { recoveryContract } from './contract-recovery.ts';
import { requeueContract } from './contract-requeue.ts';
import { runListContract } from './contract-run-list.ts';
import { runsContract } from './contract-runs.ts';
import { ledgerContract } from './contract-schedule-at.ts';
import { scheduleListContract } from './contract-schedule-list.ts';
import { schedulesContract } from './contract-schedules.ts';
import { searchContract } from './contract-search.ts';
import { secretsContract } from './contract-secrets.ts';
import { settleContract } from './contract-settle.ts';
import { sizeContract } from './contract-size.ts';
import { figuresContract } from './contract-stats.ts';
import { suspensionsContract } from './contract-suspensions.ts';

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
    ledgerContract,
    figuresContract,
    breakersContract,
    sizeContract,
    historiesContract,
  ]) {
    contract(name, open);
  }
}
