import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { PunctualError } from '../errors.ts';

/**
 * Envelope encryption of what is secret in the store: AES-256-GCM (NIST SP 800-38D).
 *
 * A secret key of the settings wraps data keys, and a data key encrypts values. So a new secret key wraps the
 * data keys anew, and no value needs to be written again. A value is bound to its place, as associated data:
 * who can write to the database cannot make one client sign with another's secret.
 */

/** A data key, as it is stored: wrapped. */
export interface DataKey {
  id: string;
  /** As `wrapDataKey` gives it. */
  wrapped: string;
  /** Epoch ms. */
  createdAt: number;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** No signing secret begins like this: those of Standard Webhooks begin with `whsec_`. */
const ENCRYPTED = 'enc1:';

/**
 * The secret keys of a setting, in its order: the first encrypts, all decrypt.
 *
 * @param text keys of 32 bytes in base64, separated by commas; blanks and line ends around them are ignored
 * @param name of the setting, for the sentence; the value itself is never repeated
 * @throws PunctualError `setting_invalid`
 */
export function parseSecretKeys(text: string, name: string): Buffer[] {
  return text.split(',').map(part => {
    const key = Buffer.from(part.trim(), 'base64');
    if (key.length === KEY_BYTES && isBase64Of(key, part.trim())) return key;
    throw new PunctualError(
      'setting_invalid',
      `${name} must be one or more keys of 32 bytes in base64, separated by commas: "openssl rand -base64 32" makes one.`,
    );
  });
}

function isBase64Of(key: Buffer, text: string): boolean {
  return key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
}

/** A key of the setting, in base64. */
export function newSecretKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

export function newDataKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

export function wrapDataKey(dataKey: Buffer, id: string, secretKey: Buffer): string {
  return encrypt(dataKey, secretKey, `data_keys\n${id}`);
}

/** @returns the data key, and which of the secret keys has wrapped it; null: none of them */
export function unwrapDataKey(
  { id, wrapped }: DataKey,
  secretKeys: Buffer[],
): { dataKey: Buffer; wrappedBy: number } | null {
  for (const [wrappedBy, secretKey] of secretKeys.entries()) {
    const dataKey = decrypt(wrapped, secretKey, `data_keys\n${id}`);
    if (dataKey !== null) return { dataKey, wrappedBy };
  }
  return null;
}

export function isEncrypted(cell: string): boolean {
  return cell.startsWith(ENCRYPTED);
}

/** The id of the data key that an encrypted cell names. */
export function dataKeyIdOf(cell: string): string {
  return cell.slice(ENCRYPTED.length, cell.indexOf(':', ENCRYPTED.length));
}

/** @param place what the value belongs to: table, client and name */
export function encryptText(text: string, place: string, id: string, dataKey: Buffer): string {
  return `${ENCRYPTED}${id}:${encrypt(Buffer.from(text), dataKey, place)}`;
}

/** @returns null where the key does not fit, or the cell belongs elsewhere or was changed */
export function decryptText(cell: string, place: string, dataKey: Buffer): string | null {
  const value = cell.slice(cell.indexOf(':', ENCRYPTED.length) + 1);
  return decrypt(value, dataKey, place)?.toString() ?? null;
}

function encrypt(plain: Buffer, key: Buffer, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
}

function decrypt(value: string, key: Buffer, place: string): Buffer | null {
  const bytes = Buffer.from(value, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(end));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]);
  } catch {
    return null;
  }
}
