import type { DataKey } from '../../domain/access/envelope.ts';

/** The keys that encrypt secrets at rest, each wrapped by a key of the settings (domain/access/envelope.ts). */
export interface DataKeyStore {
  list(): Promise<DataKey[]>;
  /** @returns false where there is one of that id: it stays */
  insert(key: DataKey): Promise<boolean>;
  rewrap(id: string, wrapped: string): Promise<void>;
}
