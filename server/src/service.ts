import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { SignInLink } from './api/access/sign-in-link.ts';
import { type ApiDeps, ELSEWHERE, type EnginePort } from './api/deps.ts';
import type { WaitingApi } from './api/waiting.ts';
import { awaitStore } from './await-store.ts';
import { type Clock, SteeredClock, systemClock, thisBoot } from './clock.ts';
import { completionKeyOf, completionUrlOf } from './completing.ts';
import type { Config } from './config.ts';
import { DASHBOARD } from './dashboard-folder.ts';
import { descriptorLimit, lowLimitSentence, withinLimit } from './descriptors.ts';
import type { SigningSecrets } from './domain/access/rotation.ts';
import { countTimesWith } from './domain/calendar/times.ts';
import type { ZoneData } from './domain/calendar/zones/zone-data.ts';
import { spansOf } from './domain/run/unseen.ts';
import type { Expand } from './engine/calendar-reader.ts';
import { CalendarReader } from './engine/calendar-reader.ts';
import { Engine, type EngineOptions } from './engine/engine.ts';
import { Throttles } from './engine/fairness/throttles.ts';
import type { Identities } from './engine/identity/identities.ts';
import { TestRequests } from './engine/test-request.ts';
import { ensureCredentials } from './ensure-credentials.ts';
import { ExpansionThread } from './expansion/expansion-thread.ts';
import { judgeLoss } from './findings.ts';
import { ZoneFollower } from './follow-zone-rules.ts';
import { identitiesOf, issuerOf } from './issuing.ts';
import { closeApi, connectionsOf, listen, standingOf, waitingApi } from './listen.ts';
import type { FetchText } from './outbound/fetch-text.ts';
import type { LeaseDeadline } from './outbound/lease-deadline.ts';
import { sentRequest, shownRequest } from './outbound/request.ts';
import type { Send } from './outbound/send.ts';
import { lockOf, PAUSED, PAUSED_BY_SETTING, PausableEngine } from './pausing.ts';
import { ensureSecretKey, readSecretKeys } from './secret-keys.ts';
import { fetchingBy, type Observe, observed, sendingBy, startSending } from './sending.ts';
import type { NodeListener } from './store/contract/cluster.ts';
import type { EngineLock } from './store/contract/engine-lock.ts';
import type { Caller } from './store/contract/keys.ts';
import type { Store } from './store/contract/store.ts';
import { withEncryption } from './store/encrypted.ts';
import { lockEngine, openStore } from './store/open.ts';
import { gaugeSourcesOf } from './telemetry/level-gauges.ts';
import { createMetrics, type Metrics } from './telemetry/telemetry.ts';
import { zonesFor } from './zoneinfo.ts';

/** The only file that knows every room: opens them in order, and closes them in reverse. */

export interface Service {
  /** The URL on which the service listens. */
  url: string;
  /** The release of the IANA database that times are counted with, such as `2026f`. */
  tzdata: string;
  store: Store;
  /** Stops gracefully (docs/lifecycle.md, "stop"). Idempotent. */
  stop(): Promise<void>;
  /** An address of the dashboard that signs in once, with `echo`; null where there is no dashboard. */
  signInUrl(caller: Caller): string | null;
  /** Once it has stopped: whether lookups of names, which nothing can end, keep the process from its end. */
  readonly isHeldUp: boolean;
}

export interface ServiceOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  /** The built-in target of `punctual dev`. */
  echo?: boolean;
  /** Told of each request that has ended, callbacks and tries too. */
  observe?: Observe;
  /** Whether a secret key is made where none is set, beside an embedded database. */
  makesSecretKey?: boolean;
  /** Called with the store before the engine starts. */
  beforeEngine?: (store: Store) => Promise<void>;
  /** Resolves when a start that waits for its store is to end; called where it waits. */
  untilStopped?: () => Promise<unknown>;
}

/**
 * Starts at once, or when the store is there (await-store.ts).
 *
 * @returns null where it was stopped while it waited
 * @throws PunctualError `store_in_use`, `store_newer`, `store_moved`, `store_unusable`, `setting_invalid`
 */
export async function startService(options: ServiceOptions): Promise<Service | null> {
  // A run held until its time outlives one collection and then ends. V8 would treat every object
  // from the same place as long-lived, and keep it until it collects the whole heap.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const { log, untilStopped = () => new Promise(() => {}) } = options;
  const limit = descriptorLimit();
  const config = withinLimit(options.config, limit);
  if (config !== options.config) log.warn({ limit }, lowLimitSentence(config));
  const zones = zonesFor(config.zoneinfo, log);
  countTimesWith(zones);
  const metrics = createMetrics(log, zones.release);
  const base: Base = { zones, metrics, lock: null, waiting: null };
  const answer = async () => {
    base.waiting = await waitingApi(config, metrics, log);
    const { app } = base.waiting;
    return { url: await listen(app, config), close: () => closeApi(app, config.stopMs) };
  };
  try {
    const rooms = await awaitStore(() => openRooms({ ...options, config }, base), {
      log,
      answer,
      untilStopped,
    });
    if (rooms === null) base.lock?.release();
    return rooms;
  } catch (error) {
    base.lock?.release();
    throw error;
  }
}

/** The parts that last from one attempt to start to the next. */
interface Base {
  zones: ZoneData;
  metrics: Metrics;
  lock: EngineLock | null;
  /** The API that listens after the first attempt to start has failed. */
  waiting: WaitingApi | null;
}

async function openRooms(options: ServiceOptions, base: Base): Promise<Service> {
  const { config, log } = options;
  const { metrics, waiting, zones } = base;
  base.lock ??= lockEngine(config.database, thisBoot());
  const { lock } = base;
  const closers: (() => unknown)[] = [];
  const stop = once(async () => {
    for (const close of closers.reverse()) await close();
  });
  try {
    const opened = await openStore(config.database);
    closers.push(() => opened.close());
    const sending = await startSending(config, opened);
    closers.push(() => sending.sender.close());
    // Loaded while the threads of the store and of the sender start.
    const loading = import('./api/app.ts');
    await opened.check(true);
    const loss = await opened.installation.beginKeeping(systemClock.now());
    if (loss !== null) log.error(judgeLoss(loss).sentence);
    const warning = await opened.cluster?.warning();
    if (warning) log.warn(warning);
    if (config.role !== 'engine' && DASHBOARD === undefined) {
      log.warn('There is no page at /: the dashboard is not built ("npm run build" builds it).');
    }
    const clock = options.clock ?? (await clockOf(opened, metrics, closers));
    // Beside a store that opens: nothing is left where one does not.
    if (options.makesSecretKey) ensureSecretKey(config);
    const store = await encryptedStore(opened, options, clock);
    await ensureCredentials({ store, clock, log }, config.credentials);
    await options.beforeEngine?.(store);
    // Loaded only where it is asked for: firings without traces pay nothing for them.
    const tracing = config.traced ? (await import('./telemetry/tracing.ts')).startTracing() : null;
    closers.push(() => tracing?.stop());
    const send = observed(sendingBy(sending, clock, tracing), options.observe);
    const fetchText = fetchingBy(config);
    const expansion = new ExpansionThread();
    closers.push(() => expansion.close());
    const { expand } = expansion;
    const identities = identitiesOf(config, store, clock, sending.sender.send);
    const outgoing = { send, fetchText, expand, identities };
    const throttles = new Throttles();
    const completionUrl = await completionUrlOf(config, store);
    const told = tracing?.store(store) ?? store;
    // A node that never fires has nothing to pause.
    const pausedAt = config.paused && config.role !== 'api' ? clock.now() : null;
    const engine =
      config.role === 'api'
        ? null
        : new PausableEngine({
            make: (isFirst, pauses) =>
              createEngine(
                config,
                told,
                clock,
                metrics,
                { ...outgoing, completionUrl, leaseDeadline: sending.leaseDeadline },
                { lock: lockOf(isFirst, lock), unseenSpans: spansOf(pauses), throttles },
              ),
            installation: store.installation,
            pausedSince: async () => pausedAt ?? store.installation.pausedSince(),
            paused: config.paused ? PAUSED_BY_SETTING : PAUSED,
            stopMs: config.stopMs,
            log,
          });
    await engine?.start();
    if (engine !== null) {
      const wake = (dueAt: number) => engine.wake(dueAt);
      const zoneFollower = new ZoneFollower({ store, clock, log, wake });
      zoneFollower.start();
      closers.push(() => zoneFollower.stop());
    }
    // The only node of its store: what passed while it was paused knows why.
    if (pausedAt !== null && store.cluster === null) {
      closers.push(() => store.installation.notePause({ since: pausedAt, until: clock.now() }));
    }
    const listening = engine && store.cluster?.listen(listenerOf(engine, metrics));
    closers.push(() => listening?.close());
    const { buildApi } = await loading;
    const signInLink = options.echo ? new SignInLink(() => clock.monotonicMs()) : undefined;
    const deps = apiDeps(
      options,
      store,
      engine,
      metrics,
      clock,
      { send, fetchText, expand, identities },
      pausedAt,
    );
    let listensOn: string | null = null;
    const sampleUrl = () => (options.echo && listensOn !== null ? `${listensOn}/sample` : null);
    const api = buildApi({ ...deps, sampleUrl, ...(signInLink && { signInLink }) });
    const apis = waiting ? [api, waiting.app] : [api];
    closers.push(() =>
      Promise.all([
        engine?.stop(config.stopMs),
        ...apis.map(each => closeApi(each, config.stopMs)),
      ]),
    );
    const url = await listen(api, config, waiting);
    listensOn = url;
    metrics.observe(gaugeSourcesOf(store, engine, clock));
    closers.unshift(() => lock?.release(), metrics.endLog);
    return {
      url,
      tzdata: zones.release,
      store,
      stop,
      signInUrl: caller =>
        signInLink && DASHBOARD !== undefined ? `${url}/#sign-in=${signInLink.make(caller)}` : null,
      get isHeldUp() {
        return sending.sender.isHeldUp;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function encryptedStore(
  store: Store,
  { config, log }: ServiceOptions,
  clock: Clock,
): Promise<Store> {
  const secretKeys = readSecretKeys(config);
  if (secretKeys.length === 0) {
    log.warn('PUNCTUAL_SECRET_KEY is not set: signing secrets are stored as they are');
  }
  return withEncryption(store, secretKeys, clock.now(), error => log.error({ err: error }));
}

/** Nodes that share a store go by its clock; one that has it for itself, by the machine's. */
async function clockOf(store: Store, metrics: Metrics, closers: (() => unknown)[]): Promise<Clock> {
  if (store.cluster === null) return systemClock;
  const clock = await SteeredClock.start(store.cluster.now);
  const tell = () => metrics.machineAhead(clock.machineAheadMs);
  tell();
  let isClosed = false;
  let timer: NodeJS.Timeout;
  const steerLater = () => {
    timer = setTimeout(() => void steer(), clock.steerAgainMs);
  };
  const steer = async () => {
    await clock.steer().then(tell, metrics.events.storeFailed);
    if (!isClosed) steerLater();
  };
  steerLater();
  closers.push(() => {
    isClosed = true;
    clearTimeout(timer);
  });
  return clock;
}

/** The work that is done elsewhere: on the network, and on a thread of its own. */
interface Outgoing {
  send: Send;
  fetchText: FetchText;
  expand: Expand;
  /** Of destinations. */
  identities: Identities;
}

function createEngine(
  config: Config,
  store: Store,
  clock: Clock,
  metrics: Metrics,
  {
    leaseDeadline,
    ...outgoing
  }: Outgoing & Pick<EngineOptions, 'completionUrl'> & { leaseDeadline: LeaseDeadline | undefined },
  past: Pick<EngineOptions, 'lock' | 'unseenSpans' | 'throttles'>,
): Engine {
  return new Engine({
    store,
    ...outgoing,
    clock,
    random: Math.random,
    observer: metrics.events,
    ...config.engine,
    leaseDeadline: leaseDeadline,
    ...past,
  });
}

function apiDeps(
  { config, log, echo = false }: ServiceOptions,
  store: Store,
  engine: EnginePort | null,
  metrics: Metrics,
  clock: Clock,
  { send, fetchText, expand, identities }: Outgoing,
  pausedAt: number | null,
): ApiDeps {
  const testRequests = new TestRequests({ send, clock, identities });
  return {
    store,
    clock,
    log,
    allow: { ...config.allowTargets, lacksUrl: config.publicUrl === null },
    echo,
    engine: engine ?? ELSEWHERE,
    calendarPort: new CalendarReader({ calendars: store.calendars, clock, fetchText, expand }),
    tryOut: (schedule, { clientId, clientRowId }) =>
      testRequests.try(schedule, { clientRowId, secrets: () => secretsOf(store, clientId) }),
    isEncrypting: readSecretKeys(config).length > 0,
    issuer: issuerOf(config, store, clock),
    completionKey: completionKeyOf(store),
    secretsToward: (...of) => identities.secretsToward(...of),
    showRequest: shownRequest,
    showSent: sentRequest,
    keepRunsDays: config.engine.retention.runsDays,
    withoutV1: config.role === 'engine',
    ...(config.role !== 'engine' && DASHBOARD !== undefined && { dashboardFolder: DASHBOARD }),
    ...standingOf(store, pausedAt),
    metricsText: metrics.text,
    routed: metrics.routed,
    authenticationFailed: metrics.authenticationFailed,
    ...connectionsOf(config, metrics),
  };
}

async function secretsOf(store: Store, clientId: string): Promise<SigningSecrets> {
  const { signingSecret, oldSecret } = (await store.clients.findClient(clientId))!;
  return { signingSecret, ...(oldSecret && { oldSecret }) };
}

/** Passes the notifications of other nodes to this engine. */
function listenerOf(engine: EnginePort, metrics: Metrics): NodeListener {
  return {
    wake: dueAt => engine.wake(dueAt),
    changed: (scheduleId, changedAt) => engine.changed(scheduleId, changedAt),
    wakeOutbox: scheduleId => engine.wakeOutbox(scheduleId),
    rotated: clientRowId => engine.rotated(clientRowId),
    listening: metrics.listening,
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
