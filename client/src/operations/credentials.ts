import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { Operations, textOf } from './operations.ts';

/** The operations on credentials. */
export class Credentials extends Operations {
  listKeys(options: CallOptions = {}): Promise<Wire.KeyList> {
    return this.read('listKeys', '/v1/key', options);
  }

  createKey(input: Wire.KeyInput, options: CallOptions = {}): Promise<Wire.NewKey> {
    return this.send(
      { operation: 'createKey', method: 'POST', path: '/v1/key', body: input },
      options,
    );
  }

  /** With `descendants: 'true'` all keys that came of it too. */
  revokeKey(
    id: string,
    query: Wire.RevokeQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.RevokedKey> {
    return this.send(
      {
        operation: 'revokeKey',
        method: 'DELETE',
        path: `/v1/key/${encodeURIComponent(id)}${textOf(query)}`,
      },
      options,
    );
  }

  /** Since when requests are signed with the present secret, and how long the old one signs too. */
  getSecret(options: CallOptions = {}): Promise<Wire.SigningSecret> {
    return this.read('getSecret', '/v1/secret', options);
  }

  /** Makes another signing secret; refused within an overlap, unless it replaces the new one. */
  rotateSecret(
    input: Wire.RotationInput = {},
    options: CallOptions = {},
  ): Promise<Wire.NewSigningSecret> {
    return this.send(
      { operation: 'rotateSecret', method: 'POST', path: '/v1/secret', body: input },
      options,
    );
  }

  endOverlap(options: CallOptions = {}): Promise<Wire.SigningSecret> {
    return this.send(
      { operation: 'endOverlap', method: 'DELETE', path: '/v1/secret/overlap' },
      options,
    );
  }
}
