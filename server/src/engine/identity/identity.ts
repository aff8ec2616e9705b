import type { Clock } from '../../clock.ts';
import type {
  DestinationAuth,
  DestinationConfig,
  DestinationSecrets,
} from '../../domain/destination/destination.ts';
import { headersOf } from '../../domain/destination/fitness.ts';
import { fitsHosts } from '../../domain/destination/hosts.ts';
import { secretsOfHeader, secretTexts } from '../../domain/run/redaction.ts';
import type { CommonPart, OutboundRequest, Send, TlsSettings } from '../../outbound/send.ts';
import { tlsSettingsOf } from '../../outbound/tls-settings.ts';
import {
  type ClientCredentials,
  grantedToken,
  tokenRequest,
} from '../../outbound/token-request.ts';
import type { SignToken } from './issuer.ts';
import { refusalOf } from './refusal.ts';
import { SharedToken, type Token, TokenFault } from './token.ts';

/** A destination as its requests need it. */
export interface IdentityFacts {
  clientRowId: number;
  clientId: string;
  name: string;
  version: string;
  config: DestinationConfig;
  secrets: DestinationSecrets;
}

export interface IdentityOptions {
  /** Sends the requests for tokens. */
  send: Send;
  signToken: SignToken;
  clock: Clock;
}

/** OAuth2 tokens are used until this long before their end. */
const UNUSED_MS = 60_000;
/** A token is replaced shortly before its end: a target may still tell the one before. */
const REMEMBERED = 2;

/**
 * The identity of the service to the hosts of one destination: adds authorization and TLS settings to requests.
 *
 * One for each version of a destination and node, so each has one token, in memory alone.
 */
export class Identity {
  readonly facts: IdentityFacts;
  readonly #options: IdentityOptions;
  readonly #tls: TlsSettings | undefined;
  /** The headers that never change, name and value in turn. */
  readonly #headers: readonly string[];
  /** The names of all headers that it sets, in lower case. */
  readonly #names: ReadonlySet<string>;
  /** Whether one of them takes the place of a header that the service adds by itself. */
  readonly #isReplacing: boolean;
  /** The secrets without a token. */
  readonly #texts: readonly string[];
  /** Of requests: without a token, or with the newest. */
  #common: CommonPart;
  /** The texts of the last tokens, the newest first. */
  #tokens: readonly string[] = [];
  /** Null where no token is sent. */
  readonly #token: SharedToken | null;

  constructor(facts: IdentityFacts, options: IdentityOptions) {
    this.facts = facts;
    this.#options = options;
    const { config, secrets } = facts;
    const { certificate, ca } = config.tls ?? {};
    this.#tls = tlsSettingsOf({ certificate, key: secrets.tlsKey, ca });
    const { headers, texts } = standingHeaders(config.auth, secrets);
    this.#headers = headers;
    this.#names = headersOf(config);
    this.#isReplacing = REPLACEABLE.some(name => this.#names.has(name));
    this.#texts = [...texts, ...valuesOf(secrets)];
    this.#common = { tls: this.#tls, secrets: secretTexts(this.#texts) };
    this.#token = this.#tokenOf(config.auth);
  }

  /** How much it keeps in memory, in characters; never 0. */
  get size(): number {
    const { config, secrets } = this.facts;
    return JSON.stringify(config).length + JSON.stringify(secrets).length;
  }

  /** The texts that history does not keep where a target tells them: also those of the last two tokens. */
  get secrets(): readonly string[] {
    return this.#common.secrets!;
  }

  /** Why a request may not be sent, in one sentence; null: it may. */
  refusal(request: OutboundRequest): string | null {
    return refusalOf(request, this.#names, this.facts.name, this.facts.config);
  }

  /** Begins what takes its time, so that a firing need not wait for it. */
  prepare(): void {
    this.#token?.renew();
  }

  /** The token to authorize with; null: none is needed, undefined: it has to be waited for. */
  get presentToken(): Token | null | undefined {
    return this.#token === null ? null : (this.#token.present ?? undefined);
  }

  /** Waits for the token, where one is needed. @throws TokenFault */
  token(): Promise<Token> {
    return this.#token!.take();
  }

  /** Adds what the destination says to a request, once, right before it is sent. */
  authorize(request: OutboundRequest, token: Token | null): void {
    if (this.#isReplacing) this.#takePlaces(request);
    request.headers.push(...this.#headers);
    if (token !== null) request.headers.push('Authorization', token.authorization);
    request.common = token === null ? this.#common : token.common;
  }

  /** The target answered 401. @returns whether the token is used no more, so that another one may do */
  refused(token: Token | null): boolean {
    if (token === null || this.facts.config.auth?.type !== 'oauth2') return false;
    this.#token!.drop(token);
    return true;
  }

  /** The headers that the service has added under the same names go. `refusal` has looked at those of the schedule. */
  #takePlaces({ headers, ownHeaders = 0 }: OutboundRequest): void {
    for (let at = headers.length - 2; at >= ownHeaders; at -= 2) {
      if (this.#names.has(headers[at]!.toLowerCase())) headers.splice(at, 2);
    }
  }

  #tokenOf(auth: DestinationAuth | undefined): SharedToken | null {
    const { clock } = this.#options;
    if (auth?.type === 'oauth2') return new SharedToken(now => this.#grant(auth, now), clock);
    if (auth?.type === 'oidc') return new SharedToken(now => this.#sign(auth.audience, now), clock);
    return null;
  }

  async #grant(oauth2: ClientCredentials, now: number): Promise<Token> {
    const { config, secrets, clientRowId } = this.facts;
    const request = tokenRequest(oauth2, secrets.clientSecret ?? '');
    request.clientRowId = clientRowId;
    // The settings are for the hosts: elsewhere the system's authorities count.
    if (fitsHosts(oauth2.tokenUrl, config.hosts)) request.common = { tls: this.#tls };
    const granted = grantedToken(await this.#options.send(request));
    if (typeof granted === 'string') throw new TokenFault(granted);
    const { accessToken, lifetimeMs } = granted;
    return this.#made(accessToken, now, now + lifetimeMs - UNUSED_MS);
  }

  async #sign(audience: string, now: number): Promise<Token> {
    const { text, usableUntil } = await this.#options.signToken(
      { audience, clientId: this.facts.clientId },
      now,
    );
    return this.#made(text, now, usableUntil);
  }

  #made(text: string, issuedAt: number, usableUntil: number): Token {
    this.#tokens = [text, ...this.#tokens].slice(0, REMEMBERED);
    this.#common = { tls: this.#tls, secrets: secretTexts([...this.#tokens, ...this.#texts]) };
    return { authorization: `Bearer ${text}`, issuedAt, usableUntil, common: this.#common };
  }
}

/** The headers that the service adds by itself, and that others may set. */
const REPLACEABLE = ['user-agent', 'content-type'];

/** The headers without a token; `texts` are the secrets in them that the destination does not hold as they are. */
function standingHeaders(
  auth: DestinationAuth | undefined,
  secrets: DestinationSecrets,
): { headers: string[]; texts: string[] } {
  if (auth?.type === 'basic') {
    const pair = Buffer.from(`${auth.username}:${secrets.password ?? ''}`).toString('base64');
    return { headers: ['Authorization', `Basic ${pair}`], texts: [pair] };
  }
  if (auth?.type === 'bearer') {
    return { headers: ['Authorization', `Bearer ${secrets.token ?? ''}`], texts: [] };
  }
  if (auth?.type !== 'headers') return { headers: [], texts: [] };
  const own = Object.entries(secrets.headers ?? {});
  return {
    headers: own.flatMap(([name, value]) => [name, onTheWire(value)]),
    texts: own.flatMap(([name, value]) => secretsOfHeader(name, value)),
  };
}

function valuesOf({ headers = {}, ...others }: DestinationSecrets): string[] {
  return [...Object.values(others), ...Object.values(headers)];
}

/** The bytes of UTF-8 as characters, as headers are written. */
function onTheWire(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}
