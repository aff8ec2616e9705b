import type { OpenBackend } from '../../support/store/backend.ts';
import { accessContract } from './access.ts';
import { aheadContract } from './ahead.ts';
import { awaitingContract } from './awaiting.ts';
import { breakersContract } from './breakers.ts';
import { calendarsContract } from './calendars.ts';
import { clientsContract } from './clients.ts';
import { completionContract } from './completion.ts';
import { dataKeysContract } from './data-keys.ts';
import { destinationsContract } from './destinations.ts';
import { externalIdsContract } from './external-ids.ts';
import { failedRunsContract } from './failed-runs.ts';
import { failuresContract } from './failures.ts';
import { fenceContract } from './fence.ts';
import { healthContract } from './health.ts';
import { historiesContract } from './histories.ts';
import { idempotencyContract } from './idempotency.ts';
import { installationContract } from './installation.ts';
import { lateChangeContract } from './late-change.ts';
import { levelsContract } from './levels.ts';
import { outboxContract } from './outbox.ts';
import { previousRunsContract } from './previous-runs.ts';
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
import { serviceChangeContract } from './service-change.ts';
import { settleContract } from './settle.ts';
import { sizeContract } from './size.ts';
import { statsContract } from './stats.ts';
import { suspensionsContract } from './suspensions.ts';
import { taggedRunsContract } from './tagged-runs.ts';
import { tagsContract } from './tags.ts';
import { updateAllContract } from './update-all.ts';
import { versionsContract } from './versions.ts';
import { zoneRulesContract } from './zone-rules.ts';

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
    tagsContract,
    externalIdsContract,
    updateAllContract,
    idempotencyContract,
    requeueContract,
    lateChangeContract,
    queueContract,
    aheadContract,
    settleContract,
    completionContract,
    serviceChangeContract,
    versionsContract,
    failedRunsContract,
    failuresContract,
    levelsContract,
    recoveryContract,
    fenceContract,
    awaitingContract,
    recountContract,
    installationContract,
    suspensionsContract,
    outboxContract,
    runsContract,
    runListContract,
    taggedRunsContract,
    previousRunsContract,
    pruneContract,
    scheduleAtContract,
    statsContract,
    healthContract,
    breakersContract,
    calendarsContract,
    destinationsContract,
    zoneRulesContract,
    sizeContract,
    historiesContract,
  ]) {
    contract(name, open);
  }
}
