import type { Row } from './rows.ts';
import type { ApiKey, Caller, Client } from './store.ts';

/** Rows of clients and keys, as both keepers read them. */

export function clientFrom(row: Row): Client {
  return {
    id: row.id as string,
    name: row.name as string,
    signingSecret: row.signing_secret as string,
    createdAt: row.created_at as number,
  };
}

export function keyFrom(row: Row): ApiKey {
  const key: ApiKey = {
    id: row.id as string,
    clientId: row.client_id as string,
    hash: row.hash as string,
    createdAt: row.created_at as number,
  };
  if (row.name !== '') key.name = row.name as string;
  if (row.revoked_at !== null) key.revokedAt = row.revoked_at as number;
  return key;
}

export function callerFrom(row: Row): Caller {
  return {
    clientId: row.client_id as string,
    clientKey: row.client_key as number,
    keyId: row.key_id as string,
  };
}
