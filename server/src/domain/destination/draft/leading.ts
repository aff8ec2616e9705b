import { PunctualError } from '../../errors.ts';
import type { DestinationConfig, DestinationParts, DestinationSecrets } from '../destination.ts';
import { isSameHosts } from '../hosts.ts';

/**
 * A key that may write cannot lead a secret elsewhere: who changes where or how secrets may go sends all of them again, and so
 * has known them.
 */

/**
 * @param sent the secrets that the writer has sent; the others are kept
 * @throws PunctualError `secret_required`
 */
export function refuseLeading(
  before: DestinationParts,
  after: DestinationParts,
  sent: ReadonlySet<keyof DestinationSecrets>,
): void {
  const changed = changedWay(before.config, after.config);
  if (changed === null) return;
  const kept = FIELDS.filter(([secret]) => secret in after.secrets && !sent.has(secret));
  if (kept.length === 0) return;
  const fields = kept.map(([, field]) => field).join(' and ');
  throw new PunctualError(
    'secret_required',
    `${fields} must be sent again, because ${changed} has changed.`,
  );
}

/** The first field that says where or how secrets may go, and is another one; null where none is. */
function changedWay(before: DestinationConfig, after: DestinationConfig): string | null {
  if (!isSameHosts(before.hosts, after.hosts)) return 'hosts';
  if ((before.allowHttp ?? false) !== (after.allowHttp ?? false)) return 'allowHttp';
  if (before.tls?.ca !== after.tls?.ca) return 'tls.ca';
  // To take the authentication away opens no way.
  if (after.auth === undefined) return null;
  if (before.auth?.type !== after.auth.type) return 'auth.type';
  return tokenUrlOf(before) === tokenUrlOf(after) ? null : 'auth.tokenUrl';
}

function tokenUrlOf({ auth }: DestinationConfig): string | undefined {
  return auth?.type === 'oauth2' ? auth.tokenUrl : undefined;
}

/** The secrets, and the fields of a body that send them. */
const FIELDS: readonly [keyof DestinationSecrets, string][] = [
  ['password', 'auth.password'],
  ['token', 'auth.token'],
  ['headers', 'auth.headers'],
  ['clientSecret', 'auth.clientSecret'],
  ['tlsKey', 'tls.key'],
];
