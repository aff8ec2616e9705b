import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { PunctualError } from '../../errors.ts';
import { iso } from '../../iso.ts';
import type { DestinationParts, DestinationSecrets, DestinationTls } from '../destination.ts';

/** The certificates that a body asks for, as PEM; the key apart. */

export interface TlsBody {
  certificate?: string;
  key?: string;
  ca?: string;
}

interface TlsDraft {
  config: DestinationTls;
  secrets: DestinationSecrets;
}

/**
 * A client certificate must not have expired where it is new or changed. One that expires later stays: then a change of
 * something else is still possible.
 *
 * @returns undefined where nothing is asked for
 * @throws PunctualError `request_invalid`, `secret_required`
 */
export function tlsDraft(
  { certificate, key, ca }: TlsBody,
  present: DestinationParts | null,
  now: number,
): TlsDraft | undefined {
  const was = present?.config.tls?.certificate;
  if (ca !== undefined) certificatesIn(ca, 'tls.ca');
  if (certificate === undefined) {
    if (key !== undefined) throw invalid('tls.key needs tls.certificate beside it.');
    return ca === undefined ? undefined : { config: { ca }, secrets: {} };
  }
  const kept = was === undefined ? undefined : present!.secrets.tlsKey;
  const tlsKey = key ?? kept;
  if (tlsKey === undefined) throw invalid('tls.key is required beside tls.certificate.');
  const [own] = certificatesIn(certificate, 'tls.certificate');
  const privateKey = keyIn(tlsKey);
  if (!own!.checkPrivateKey(privateKey)) throw unfitting(key === undefined);
  if (was !== certificate) refuseExpired(own!, now);
  return {
    config: { certificate, ...(ca !== undefined && { ca }) },
    secrets: { tlsKey },
  };
}

/** @returns one at least */
function certificatesIn(pem: string, where: string): X509Certificate[] {
  const blocks = pem.match(BLOCK) ?? [];
  const rest = pem.replace(BLOCK, '');
  const certificates = blocks.map(parsed).filter(each => each !== null);
  if (blocks.length > 0 && certificates.length === blocks.length && !rest.includes('-----')) {
    return certificates;
  }
  throw invalid(`${where} must be one or more certificates as PEM.`, bare(pem));
}

/** On lines of its own: OpenSSL finds no other. */
const BLOCK = /^-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----[ \t\r]*$/gm;

function parsed(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function keyIn(pem: string): KeyObject {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // The reason of the parser could repeat a part of the key.
    throw invalid('tls.key must be a private key as PEM, without a passphrase.', bare(pem));
  }
}

/** Without the line end at its end, which belongs there. */
function bare(pem: string): string {
  return pem.replace(/\r?\n$/, '');
}

function unfitting(isKept: boolean): PunctualError {
  return isKept
    ? new PunctualError(
        'secret_required',
        'tls.key must be sent again: the key that is kept does not belong to tls.certificate.',
      )
    : invalid('tls.key does not belong to tls.certificate.');
}

function refuseExpired({ validToDate }: X509Certificate, now: number): void {
  const endsAt = validToDate.getTime();
  if (endsAt <= now) throw invalid(`tls.certificate has expired at ${iso(endsAt)}.`);
}

function invalid(sentence: string, refused = ''): PunctualError {
  return new PunctualError('request_invalid', sentence, { refused });
}
