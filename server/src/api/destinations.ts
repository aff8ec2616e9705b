import type * as Wire from '@punctual/client';
import type { DestinationConfig } from '../domain/destination/destination.ts';
import {
  type DestinationFacts,
  draftDestination,
} from '../domain/destination/draft/destination-draft.ts';
import { mayUnfit, misfitsOf } from '../domain/destination/fitness.ts';
import { secretsFrom, secretsText } from '../domain/destination/secrets.ts';
import { PunctualError } from '../domain/errors.ts';
import { newId } from '../domain/id.ts';
import { iso } from '../domain/iso.ts';
import type { StoredDestination } from '../store/contract/destinations.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { Store } from '../store/contract/store.ts';
import type { ApiDeps } from './deps.ts';
import { nextSlice } from './http/slices.ts';
import { findResource } from './named-resources.ts';
import { untilWritten } from './update-schedule.ts';

/** Destinations, between the wire and the store. */

type PutDeps = Pick<ApiDeps, 'store' | 'clock' | 'allow' | 'engine' | 'isEncrypting' | 'issuer'>;

/**
 * Makes or replaces a destination: read, decide, write if nobody else wrote in between, or begin again. A schedule that is
 * written meanwhile may come not to fit. Then its firing finds out, and sends nothing.
 *
 * @throws PunctualError `quota_exceeded`, `secret_required`, `in_use`, and what is wrong with the body
 */
export function writeDestination(
  deps: PutDeps,
  caller: Caller,
  name: string,
  body: Wire.DestinationInput,
): Promise<StoredDestination> {
  const { store, clock, allow, engine, isEncrypting = false, issuer } = deps;
  return untilWritten(async () => {
    const found = await store.destinations.findSecret(caller, name);
    const now = clock.now();
    const present = found && { config: found.config, secrets: secretsFrom(found.secrets) };
    const facts: DestinationFacts = { allow, now, isEncrypting, hasUrl: issuer != null };
    const { config, secrets } = draftDestination(body, present, facts);
    if (present !== null && mayUnfit(present.config, config)) {
      await refuseUnfit(store, caller, name, config);
    }
    const text = secretsText(secrets);
    const change = { config, version: newId(now), ...(text !== undefined && { secrets: text }) };
    const version = found?.version ?? null;
    const stored = await store.destinations.put(caller, name, version, change, now);
    if (stored === 'changed') return null;
    engine.rotated(caller.clientRowId);
    return stored;
  });
}

/** Schedules that are looked at in one turn. */
const USES_AT_ONCE = 500;

/** @throws PunctualError `in_use` that names a schedule which would not fit any more */
async function refuseUnfit(
  { destinations }: Store,
  { clientRowId }: Caller,
  name: string,
  config: DestinationConfig,
): Promise<void> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const uses = await destinations.namedBy(clientRowId, name, before, USES_AT_ONCE);
    for (const use of uses) {
      const [misfit] = misfitsOf(use, name, config);
      if (misfit === undefined) continue;
      throw new PunctualError(
        'in_use',
        `${misfit.rule}: the schedule ${use.id} names this destination and ${misfit.use}.`,
      );
    }
    if (uses.length < USES_AT_ONCE) return;
    before = uses.at(-1)!.scheduleRowId;
    await nextSlice(clientRowId);
  }
}

/** @throws PunctualError `not_found` */
export async function presentDestination(
  store: Store,
  clientRowId: number,
  name: string,
): Promise<Wire.Destination> {
  const found = await findResource(store.destinations, 'destination', clientRowId, name);
  const [answer] = await destinationAnswers(store, clientRowId, [found]);
  return answer!;
}

export async function destinationAnswers(
  { destinations }: Store,
  clientRowId: number,
  found: StoredDestination[],
): Promise<Wire.Destination[]> {
  const names = found.map(({ name }) => name);
  const usedBy = await destinations.usedBy(clientRowId, names);
  return found.map(each => destinationAnswer(each, usedBy.get(each.name)!));
}

function destinationAnswer(
  { name, config, createdAt, updatedAt }: StoredDestination,
  usedBy: number,
): Wire.Destination {
  const { hosts, allowHttp, auth, tls, limits } = config;
  return {
    ...{ name, createdAt: iso(createdAt) },
    ...(updatedAt !== undefined && { updatedAt: iso(updatedAt) }),
    ...{ usedBy, hosts },
    ...(allowHttp !== undefined && { allowHttp }),
    ...(auth !== undefined && { auth: authAnswer(auth) }),
    ...(tls !== undefined && { tls: { ...tls, hasSecret: tls.certificate !== undefined } }),
    ...(limits !== undefined && { limits }),
  };
}

/** Each type but `oidc` has its secret: none is stored without. */
function authAnswer(auth: NonNullable<DestinationConfig['auth']>): Wire.DestinationAuth {
  if (auth.type === 'oidc') return auth;
  if (auth.type === 'headers') return { type: auth.type, hasSecret: true };
  return { ...auth, hasSecret: true };
}
