import type {
  Destination,
  DestinationAuth,
  DestinationAuthInput,
  DestinationInput,
  DestinationTlsInput,
} from '@punctual/client';
import type { Pair } from '../form/draft.ts';

/**
 * The contents of the form of a destination. Each kind of auth keeps its contents while another one is shown. Secrets begin
 * empty, because the service never answers them: an empty one is kept.
 */
export interface DestinationDraft {
  name: string;
  /** One a line. */
  hosts: string;
  allowHttp: boolean;
  auth: AuthKind;
  username: string;
  password: string;
  token: string;
  headers: Pair[];
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  audience: string;
  sendAs: 'basic' | 'body';
  /** PEM, as below. */
  certificate: string;
  key: string;
  ca: string;
  maxConcurrent: string;
  perSecond: string;
}

export type AuthKind = DestinationAuth['type'] | 'none';

const NEW: DestinationDraft = {
  name: '',
  hosts: '',
  allowHttp: false,
  auth: 'none',
  username: '',
  password: '',
  token: '',
  headers: [],
  tokenUrl: '',
  clientId: '',
  clientSecret: '',
  scope: '',
  audience: '',
  sendAs: 'basic',
  certificate: '',
  key: '',
  ca: '',
  maxConcurrent: '',
  perSecond: '',
};

export function newDestinationDraft(): DestinationDraft {
  return { ...NEW };
}

export function destinationDraftOf(stored: Destination): DestinationDraft {
  const { name, hosts, allowHttp = false, auth, tls, limits = {} } = stored;
  return {
    ...NEW,
    name,
    hosts: hosts.join('\n'),
    allowHttp,
    auth: auth?.type ?? 'none',
    ...(auth !== undefined && authFields(auth)),
    certificate: tls?.certificate ?? '',
    ca: tls?.ca ?? '',
    maxConcurrent: String(limits.maxConcurrent ?? ''),
    perSecond: String(limits.perSecond ?? ''),
  };
}

function authFields(auth: DestinationAuth): Partial<DestinationDraft> {
  switch (auth.type) {
    case 'basic':
      return { username: auth.username };
    case 'oauth2': {
      const { tokenUrl, clientId, scope = '', audience = '', sendAs = 'basic' } = auth;
      return { tokenUrl, clientId, scope, audience, sendAs };
    }
    case 'oidc':
      return { audience: auth.audience };
    default:
      return {};
  }
}

/** The body of the PUT. Secrets that are empty are left out, so that the service keeps them. */
export function destinationInputOf(draft: DestinationDraft): DestinationInput {
  const { allowHttp, maxConcurrent, perSecond } = draft;
  const auth = authInput(draft);
  const tls = tlsInput(draft);
  const limits = {
    ...(maxConcurrent.trim() !== '' && { maxConcurrent: Number(maxConcurrent) }),
    ...(perSecond.trim() !== '' && { perSecond: Number(perSecond) }),
  };
  return {
    hosts: hostsOf(draft),
    ...(allowHttp && { allowHttp }),
    ...(auth && { auth }),
    ...(tls && { tls }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

export function hostsOf({ hosts }: Pick<DestinationDraft, 'hosts'>): string[] {
  return hosts.split(/[\s,]+/).filter(host => host !== '');
}

function authInput(draft: DestinationDraft): DestinationAuthInput | null {
  const { password, token, clientSecret, sendAs } = draft;
  const [scope, audience] = [draft.scope.trim(), draft.audience.trim()];
  switch (draft.auth) {
    case 'none':
      return null;
    case 'basic':
      return { type: 'basic', username: draft.username, ...(password !== '' && { password }) };
    case 'bearer':
      return { type: 'bearer', ...(token.trim() !== '' && { token: token.trim() }) };
    case 'headers': {
      const headers = namedPairs(draft.headers);
      return {
        type: 'headers',
        ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
      };
    }
    case 'oauth2':
      return {
        type: 'oauth2',
        tokenUrl: draft.tokenUrl.trim(),
        clientId: draft.clientId.trim(),
        ...(clientSecret !== '' && { clientSecret }),
        ...(scope !== '' && { scope }),
        ...(audience !== '' && { audience }),
        ...(sendAs !== 'basic' && { sendAs }),
      };
    case 'oidc':
      return { type: 'oidc', audience };
  }
}

/** Those that have a name: a row without one is none. */
export function namedPairs(pairs: Pair[]): Pair[] {
  return pairs.filter(([name]) => name.trim() !== '').map(([name, value]) => [name.trim(), value]);
}

function tlsInput({ certificate, key, ca }: DestinationDraft): DestinationTlsInput | null {
  const tls: DestinationTlsInput = {
    ...(certificate.trim() !== '' && { certificate }),
    ...(key.trim() !== '' && { key }),
    ...(ca.trim() !== '' && { ca }),
  };
  return Object.keys(tls).length === 0 ? null : tls;
}

/** The fields of the form that hold a secret. */
export type SecretField = 'password' | 'token' | 'headers' | 'clientSecret' | 'key';

/** Whether the service keeps this secret when the form leaves it empty. */
export function isKept(draft: DestinationDraft, stored: Destination | null, field: SecretField) {
  if (field === 'key') return stored?.tls?.hasSecret === true && draft.certificate.trim() !== '';
  const auth = stored?.auth;
  return auth?.type === draft.auth && 'hasSecret' in auth && auth.hasSecret;
}
