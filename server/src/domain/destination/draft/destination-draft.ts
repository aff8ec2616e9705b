import { PunctualError } from '../../errors.ts';
import { type AllowTargets, checkTargetUrl } from '../../schedule/target.ts';
import type {
  DestinationAuth,
  DestinationConfig,
  DestinationParts,
  DestinationSecrets,
} from '../destination.ts';
import { canonicalHost } from '../hosts.ts';
import { type AuthBody, authDraft } from './auth-draft.ts';
import { refuseLeading } from './leading.ts';
import { type TlsBody, tlsDraft } from './tls-draft.ts';

/**
 * The destination that a body asks for: checked, its secrets apart from the rest. A secret that the body leaves out is kept,
 * unless the body changes where or how it may go.
 */

export interface DestinationBody {
  hosts: string[];
  allowHttp?: boolean;
  auth?: AuthBody;
  tls?: TlsBody;
  limits?: { maxConcurrent?: number; perSecond?: number };
}

export interface DestinationFacts {
  allow: AllowTargets;
  now: number;
  /** Whether secrets are encrypted at rest. */
  isEncrypting: boolean;
  /** Whether the installation has a url, which is the issuer of its tokens. */
  hasUrl: boolean;
}

/**
 * @param present null where it is new
 * @throws PunctualError what is wrong with the body
 */
export function draftDestination(
  body: DestinationBody,
  present: DestinationParts | null,
  facts: DestinationFacts,
): DestinationParts {
  const { hosts, allowHttp, limits } = body;
  checkHosts(hosts);
  const auth = body.auth && authDraft(body.auth, present);
  const tls = body.tls && tlsDraft(body.tls, present, facts.now);
  const draft: DestinationParts = {
    config: {
      hosts,
      ...(allowHttp !== undefined && { allowHttp }),
      ...(auth && { auth: auth.config }),
      ...(tls && { tls: tls.config }),
      ...(limits !== undefined && Object.keys(limits).length > 0 && { limits }),
    },
    secrets: { ...auth?.secrets, ...tls?.secrets },
  };
  checkTokenUrl(draft.config, facts.allow);
  checkSettings(draft, facts);
  if (present !== null) refuseLeading(present, draft, sentOf(body));
  return draft;
}

/** The secrets that a body sends. */
function sentOf({ auth, tls }: DestinationBody): Set<keyof DestinationSecrets> {
  const sent = new Set<keyof DestinationSecrets>();
  for (const field of ['password', 'token', 'headers', 'clientSecret'] as const) {
    if (auth !== undefined && field in auth) sent.add(field);
  }
  if (tls?.key !== undefined) sent.add('tlsKey');
  return sent;
}

/** @throws PunctualError `request_invalid` */
function checkHosts(hosts: string[]): void {
  const known = new Map<string, number>();
  for (const [index, host] of hosts.entries()) {
    const canonical = canonicalHost(host);
    if (canonical === null) {
      throw invalid(`hosts[${index}] must be ${HOST_FORM}.`, host);
    }
    const before = known.get(canonical);
    if (before !== undefined) {
      throw invalid(`hosts[${index}] is the same host as hosts[${before}].`);
    }
    known.set(canonical, index);
  }
}

const HOST_FORM =
  'a host name or an address, such as api.example.com, *.example.com, 10.0.0.7:8443 or [fd00::7]';

/** @throws PunctualError `target_invalid`, `target_refused`, `request_invalid` */
function checkTokenUrl({ auth, allowHttp = false }: DestinationConfig, allow: AllowTargets): void {
  if (auth?.type !== 'oauth2') return;
  checkTargetUrl(auth.tokenUrl, allow, 'auth.tokenUrl');
  if (allowHttp || !/^http:/i.test(auth.tokenUrl)) return;
  throw invalid('auth.tokenUrl must begin with https://, unless allowHttp is true.');
}

/** @throws PunctualError `request_invalid` that names the setting which is missing */
function checkSettings({ config, secrets }: DestinationParts, facts: DestinationFacts): void {
  const { auth } = config;
  if (!facts.isEncrypting && (auth?.type === 'oidc' || Object.keys(secrets).length > 0)) {
    throw invalid(
      `${fieldToKeep(auth)} needs PUNCTUAL_SECRET_KEY: without it Punctual keeps no secret of a destination.`,
    );
  }
  if (auth?.type === 'oidc' && !facts.hasUrl) {
    throw invalid('auth.type oidc needs PUNCTUAL_URL: it is the issuer of the token.');
  }
}

function fieldToKeep(auth: DestinationAuth | undefined): string {
  if (auth === undefined) return 'tls.key';
  return auth.type === 'oidc' ? 'auth.type oidc' : 'auth';
}

function invalid(sentence: string, refused = ''): PunctualError {
  return new PunctualError('request_invalid', sentence, { refused });
}
