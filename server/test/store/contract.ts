import { accessContract } from './contract-access.ts';
import { aheadContract } from './contract-ahead.ts';
import { breakersContract } from './contract-breakers.ts';
import { clientsContract } from './contract-clients.ts';
import { dataKeysContract } from './contract-data-keys.ts';
import { figuresContract } from './contract-figures.ts';
import { historiesContract } from './contract-histories.ts';
import { installationContract } from './contract-installation.ts';
import { lateChangeContract } from './contract-late-change.ts';
import { ledgerContract } from './contract-ledger.ts';
import { outboxContract } from './contract-outbox.ts';
import { pruneContract } from './contract-prune.ts';
import { queueContract } from './contract-queue.ts';
import { recountContract } from './contract-recount.ts';
import { recoveryContract } from './contract-recovery.ts';
import { requeueContract } from './contract-requeue.ts';
import { runListContract } from './contract-run-list.ts';
import { runsContract } from './contract-runs.ts';
import { scheduleListContract } from './contract-schedule-list.ts';
import { schedulesContract } from './contract-schedules.ts';
import { searchContract } from './contract-search.ts';
import { secretsContract } from './contract-secrets.ts';
import { settleContract } from './contract-settle.ts';
import { sizeContract } from './contract-size.ts';
import { suspensionsContract } from './contract-suspensions.ts';
import type { OpenKeeper } from './keeper.ts';

/**
 * The store contract (`src/store/store.ts`), each promise a test. Every keeper's test file calls it
 * with a way to open an empty store; no keeper has exceptions.
 */
export function storeContract(name: string, open: OpenKeeper): void {
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
