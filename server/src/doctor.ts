import { lookup } from 'node:dns/promises';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { type Config, readConfig, unknownSettings } from './config.ts';
import { DASHBOARD } from './dashboard-folder.ts';
import { descriptorLimit, descriptorsWanted } from './descriptors.ts';
import {
  type Finding,
  judgeClock,
  judgeDescriptors,
  judgeDisk,
  judgeLoss,
  judgeSync,
  ok,
  problem,
  warning,
} from './findings.ts';
import { readSecretKeys } from './secret-keys.ts';
import type { Store } from './store/contract/store.ts';
import { withEncryption } from './store/encrypted.ts';
import { type Database, isOlder, nameOf, openBeside } from './store/open.ts';
import { zonesFor } from './zoneinfo.ts';

/**
 * `punctual doctor`: looks at all that the service needs, beside it or without it. It changes nothing, but that a
 * database of PostgreSQL is brought to this release, as by any command.
 */

type Environment = Record<string, string | undefined>;

/** @returns what was found, in the order in which it matters */
export async function examine(environment: Environment): Promise<Finding[]> {
  const unknown = unknownSettings(environment).map(name =>
    warning('settings', `${name} is no setting of Punctual.`),
  );
  const config = attempt('settings', () => readConfig(environment));
  if ('check' in config) return [config, ...unknown, dashboard(), await names()];
  return [
    ok('settings', 'All settings are valid.'),
    ...unknown,
    ...openFiles(config),
    ...(await storeFindings(config)),
    zones(config),
    dashboard(),
    await names(),
  ];
}

function openFiles(config: Config): Finding[] {
  const limit = descriptorLimit();
  return limit === null ? [] : [judgeDescriptors(limit, descriptorsWanted(config))];
}

function attempt<Result extends object>(check: string, work: () => Result): Result | Finding {
  try {
    return work();
  } catch (error) {
    return problem(check, (error as Error).message);
  }
}

const OLDER =
  'It is of an older release: "punctual migrate", or the next start, brings it to this one.';

async function storeFindings(config: Config): Promise<Finding[]> {
  let store: Store;
  try {
    if (isOlder(config.database)) return [warning('store', OLDER)];
    store = await openBeside(config.database);
  } catch (error) {
    return [problem('store', (error as Error).message)];
  }
  try {
    return await findingsOf(store, config);
  } finally {
    await store.close();
  }
}

/** How long a loss is told of: a week. */
const TOLD_MS = 7 * 86_400_000;

async function findingsOf(store: Store, config: Config): Promise<Finding[]> {
  const { database } = config;
  const found: Finding[] = [];
  try {
    await store.check(true);
    found.push(ok('store', `${nameOf(database)} is reachable and can be written to.`));
  } catch (error) {
    found.push(problem('store', (error as Error).message));
  }
  const { disk } = await store.size();
  if (disk !== null) found.push(judgeDisk(disk));
  if (database.kind === 'sqlite') found.push(await syncTime(database));
  found.push(await clock(store), ...(await secrets(store, config)));
  const loss = await store.installation.lastLoss();
  if (loss !== null && loss.until > systemClock.now() - TOLD_MS) found.push(judgeLoss(loss));
  const since = await store.installation.pausedSince();
  if (since !== null) {
    const at = new Date(since).toISOString();
    found.push(warning('pause', `Paused since ${at}: nothing fires until "punctual resume".`));
  }
  if (config.paused)
    found.push(warning('pause', 'PUNCTUAL_PAUSED is set: this node fires nothing.'));
  const shared = await store.cluster?.warning();
  if (shared) found.push(warning('standby', shared));
  return found;
}

/** How long the disk takes to keep a page: each commit waits for it. */
async function syncTime({ path }: Database & { kind: 'sqlite' }): Promise<Finding> {
  const file = join(dirname(path), `.punctual-doctor-${process.pid}`);
  const tookMs: number[] = [];
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      for (let look = 0; look < 5; look += 1) {
        await handle.write(Buffer.alloc(4_096), 0, 4_096, 0);
        const from = performance.now();
        await handle.sync();
        tookMs.push(performance.now() - from);
      }
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
  } catch (error) {
    return problem(
      'disk',
      `The folder of the store cannot be written to: ${(error as Error).message}.`,
    );
  }
  return judgeSync(tookMs.sort((a, b) => a - b)[2]!);
}

async function clock(store: Store): Promise<Finding> {
  if (store.cluster !== null) {
    const before = systemClock.now();
    const theirs = await store.cluster.now();
    return judgeClock((before + systemClock.now()) / 2 - theirs, 'that of the database');
  }
  const behindMs = ((await store.queue.latest()) ?? 0) - systemClock.now();
  return judgeClock(Math.min(0, -behindMs), 'what is on record');
}

async function secrets(store: Store, config: Config): Promise<Finding[]> {
  const keys = attempt('secret key', () => readSecretKeys(config));
  if ('check' in keys) return [keys];
  try {
    const encrypted = await withEncryption(store, keys, systemClock.now());
    await encrypted.clients.listClients();
  } catch (error) {
    return [problem('secret key', (error as Error).message)];
  }
  return keys.length === 0
    ? [
        warning(
          'secret key',
          'PUNCTUAL_SECRET_KEY is not set: signing secrets are stored as they are.',
        ),
      ]
    : [ok('secret key', 'It decrypts the signing secrets in the store.')];
}

function zones({ zoneinfo }: Config): Finding {
  let older = false;
  const rules = attempt('time zones', () =>
    zonesFor(zoneinfo, {
      warn: () => {
        older = true;
      },
    }),
  );
  if ('check' in rules) return rules;
  const sentence = `Times are counted with the rules of ${rules.release}.`;
  return older
    ? warning('time zones', `${sentence} Those that are built in are newer.`)
    : ok('time zones', sentence);
}

function dashboard(): Finding {
  return DASHBOARD === undefined
    ? warning('dashboard', 'It is not built: "npm run build" builds it.')
    : ok('dashboard', 'It is built.');
}

/** Names are looked up as for a target. A resolver that does not answer makes every firing late. */
async function names(): Promise<Finding> {
  const found = lookup('localhost').then(
    () => ok('names', 'The system looks up names.'),
    (error: Error) => problem('names', `The system cannot look up localhost: ${error.message}.`),
  );
  const late = sleep(
    5_000,
    problem('names', 'The system takes more than 5 s to look up localhost.'),
    {
      ref: false,
    },
  );
  return Promise.race([found, late]);
}
