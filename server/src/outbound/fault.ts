import { errors } from 'undici';
import { TOO_MUCH_INTERIM } from './interim.ts';

/**
 * Explains a network fault in one sentence to the owner of the schedule.
 *
 * The sentence names host and port as the URL does, never the addresses behind a name: they may
 * reveal a network that is none of the owner's business. Error codes are in brackets where the
 * sentence cannot say more than they do.
 */

/** The stage of an attempt: the event that it waits for. */
export type Stage = 'queued' | 'resolving' | 'connecting' | 'handshaking' | 'waiting' | 'reading';

/** The guard's refusal; its message is the sentence. */
export class Blocked extends Error {}

/** An error that is known by its code, as those of the system are. */
export function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The code of the error with which a connection ends that brings more than 16 KiB of trailers. */
export const TOO_LARGE_TRAILERS = 'TOO_LARGE_TRAILERS';

/** An answer with a status that cannot be read to its end. Its message is a part of a sentence. */
export class UnreadableAnswer extends Error {}

export function timeoutSentence(stage: Stage, authority: string, timeoutMs: number): string {
  return `The time limit of ${timeoutMs / 1000} s passed while ${DOING[stage](authority)}.`;
}

export function lookupSentence(authority: string, limitMs: number): string {
  return `The name of ${authority} could not be resolved within ${limitMs / 1000} s.`;
}

export function faultSentence(error: unknown, stage: Stage, authority: string): string {
  const code = codeOf(error);
  const known = BY_CODE[code];
  if (known !== undefined) return known(authority, stage);
  const alert = /_ALERT_([A-Z_]+)$/.exec(code)?.[1] ?? '';
  if (Object.hasOwn(BY_ALERT, alert)) return BY_ALERT[alert]!(authority);
  if (isHttp2(error)) return onlyHttp2(authority);
  if (isUnreadable(error))
    return `${authority} did not answer in valid HTTP/1.1${reasonOf(error)}.`;
  if (isBrokenOff(error) || error instanceof errors.HTTPParserError)
    return brokenOff(stage, authority);
  if (stage === 'resolving') return `The name of ${authority} could not be resolved (${code}).`;
  if (stage === 'handshaking') return `The TLS handshake with ${authority} failed (${code}).`;
  return `The request to ${authority} failed (${code}).`;
}

/** Of an answer whose status counts, although the rest of it cannot be read. Null: the fault is another one. */
export function unreadableSentence(
  error: unknown,
  authority: string,
  status: number,
): string | null {
  if (!isUnreadable(error)) return null;
  return `${authority} answered ${status}, and that counts, but the rest of its answer is no valid HTTP/1.1${reasonOf(error)}.`;
}

/** Whether the other side ended the connection. */
export function isBrokenOff(error: unknown): boolean {
  return BROKEN_OFF.has(codeOf(error));
}

function isUnreadable(error: unknown): error is Error {
  if (error instanceof UnreadableAnswer) return true;
  return error instanceof errors.HTTPParserError && !error.message.endsWith(BROKEN_OFF_EARLY);
}

/** Its first frame is SETTINGS (RFC 9113, 3.4). */
function isHttp2(error: unknown): boolean {
  if (!(error instanceof errors.HTTPParserError)) return false;
  // Its type leaves out the text that the parser stopped at.
  const { data } = error as { data?: string };
  return data !== undefined && SETTINGS.test(data);
}

/** Whether this process, or its machine, has too many files open. That is no fault of the target. */
export function isNoDescriptor(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EMFILE' || code === 'ENFILE';
}

export function noDescriptorSentence(authority: string): string {
  return `Punctual could not open a connection to ${authority}: it has too many files open.`;
}

/** A status that ends the connection, and is no answer to the request. @param status below 200 */
export function noAnswerSentence(status: number, authority: string): string {
  if (status === 101) return switched(authority);
  const code = String(status).padStart(3, '0');
  return `${authority} answered with the status ${code}, which HTTP does not have.`;
}

function brokenOff(stage: Stage, authority: string): string {
  if (stage === 'handshaking') return `${authority} closed the connection in the TLS handshake.`;
  return stage === 'reading'
    ? `${authority} broke off its answer before the end.`
    : `${authority} closed the connection without an answer.`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  // undici's message for 101, under the code that all broken connections have.
  if (error.message === 'bad upgrade') return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' ? code : error.name;
}

/** The filter's own words, or those of the parser, which stand in brackets at the end of undici's message. */
function reasonOf(error: Error): string {
  const reason =
    error instanceof UnreadableAnswer ? error.message : /\(([^()]+)\)$/.exec(error.message)?.[1];
  return reason === undefined ? '' : ` (${reason})`;
}

const DOING: Record<Stage, (authority: string) => string> = {
  queued: at => `waiting for a turn to resolve the name of ${at}`,
  resolving: at => `resolving the name of ${at}`,
  connecting: at => `connecting to ${at}`,
  handshaking: at => `waiting for the TLS handshake with ${at}`,
  waiting: at => `waiting for the answer of ${at}`,
  reading: at => `reading the body of the answer of ${at}`,
};

const untrusted = (at: string) => `The certificate of ${at} is not signed by a trusted authority.`;
const unreachable = (at: string) => `${at} could not be reached: there is no way to its network.`;

const onlyHttp2 = (at: string) => `${at} speaks only HTTP/2, and Punctual calls over HTTP/1.1.`;

/** Of the frame's header: a length of three bytes, the type, flags, and the stream 0. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it means just these bytes
const SETTINGS = /^\0.{2}\x04.\0{4}/s;

const switched = (at: string) => `${at} switched to another protocol, which it was not asked to.`;

const BY_CODE: Record<string, (authority: string, stage: Stage) => string> = {
  ENOTFOUND: at => `The name of ${at} does not exist or has no address.`,
  ENODATA: at => `The name of ${at} does not exist or has no address.`,
  EAI_AGAIN: at => `The name of ${at} could not be resolved: no name server answered.`,
  ECONNREFUSED: at => `The connection to ${at} was refused.`,
  ETIMEDOUT: at => `${at} did not answer when it was connected to.`,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  CERT_HAS_EXPIRED: at => `The certificate of ${at} has expired.`,
  CERT_NOT_YET_VALID: at => `The certificate of ${at} is not valid yet.`,
  CERT_REVOKED: at => `The certificate of ${at} has been revoked.`,
  ERR_TLS_CERT_ALTNAME_INVALID: at => `The certificate of ${at} is for another name.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: at => `The certificate of ${at} is self-signed and not trusted.`,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER: at => `${at} does not speak TLS; is the url https by mistake?`,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: at => `${at} does not speak TLS; is the url https by mistake?`,
  UND_ERR_HEADERS_OVERFLOW: at => `${at} answered with more than 16 KiB of headers.`,
  [TOO_LARGE_TRAILERS]: at => `${at} answered with more than 16 KiB of trailers.`,
  [TOO_MUCH_INTERIM]: at => `${at} sent more than 1 MiB of interim answers (1xx) and no final one.`,
  'bad upgrade': switched,
};

const refusedCertificate = (at: string) => `${at} refused the client certificate.`;

/** Alerts of TLS (RFC 8446, 6.2) that a sentence explains. OpenSSL's versions name them with other prefixes. */
const BY_ALERT: Record<string, (authority: string) => string> = {
  CERTIFICATE_REQUIRED: at => `${at} asked for a client certificate, and there is none.`,
  BAD_CERTIFICATE: refusedCertificate,
  CERTIFICATE_UNKNOWN: refusedCertificate,
  UNSUPPORTED_CERTIFICATE: refusedCertificate,
  ACCESS_DENIED: refusedCertificate,
  CERTIFICATE_EXPIRED: at => `${at} refused the client certificate: it has expired.`,
  CERTIFICATE_REVOKED: at => `${at} refused the client certificate: it has been revoked.`,
  // Of the two protocols that could have been agreed on, the other one.
  NO_APPLICATION_PROTOCOL: onlyHttp2,
  UNKNOWN_CA: at => `${at} refused the client certificate: its authority is not known there.`,
};

/** The parser's words for a close inside a body that says how long it is. */
const BROKEN_OFF_EARLY = '(Invalid EOF state)';

const BROKEN_OFF: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'CLOSED',
]);
