import type { Row } from '../columns.ts';
import type { Client } from '../contract/clients.ts';
import { oldSecretFrom } from './row.ts';

/** Rows of clients, as both backends read them. */

export function clientFrom(row: Row): Client {
  const client: Client = {
    id: row.id as string,
    name: row.name as string,
    signingSecret: row.signing_secret as string,
    createdAt: row.created_at as number,
  };
  if (row.rotated_at != null) client.rotatedAt = row.rotated_at as number;
  // Between `resume` and the return of its rows it may call already.
  if (row.suspended_at != null && row.resumed_at == null) {
    client.suspendedAt = row.suspended_at as number;
  }
  if (row.deleted_at != null) client.deletedAt = row.deleted_at as number;
  if (row.old_secret != null) client.oldSecret = oldSecretFrom(row);
  return client;
}
