import { generate } from 'selfsigned';

/** Certificates, made where a test needs them. */

export interface KeyPair {
  /** PEM. */
  certificate: string;
  key: string;
}

const NOW = Date.now();
const DAY = 86_400_000;
/** Long ago, so that a machine whose clock is a little off trusts it. */
const notBeforeDate = new Date(NOW - 400 * DAY);

/** An authority that signs certificates, and that only who is told so trusts. */
export async function authority(name: string): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256', notBeforeDate },
    notAfterDate: new Date(NOW + DAY),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { certificate: made.cert, key: made.private };
}

/** A certificate for servers at `localhost`, and for clients. @param days until it ends; past, where it is negative */
export async function signedBy(ca: KeyPair, name: string, days = 1): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256', notBeforeDate },
    notAfterDate: new Date(NOW + days * DAY),
    ca: { cert: ca.certificate, key: ca.key },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
  return { certificate: made.cert, key: made.private };
}
