import type { ErrorCode } from '../../../domain/errors.ts';
import type { Store } from '../../contract/store.ts';

/** One call to the thread that writes, or to one of those that read. Arrays cross at half of what objects cost. */
export type StoreCall = [
  id: number,
  /** Null: the store itself. */
  room: Exclude<keyof Store, 'cluster' | 'check' | 'close'> | null,
  method: string,
  args: unknown[],
];

export type CallResult = [id: number, value: unknown, fault?: CallFault];

export interface CallFault {
  code: ErrorCode | null;
  message: string;
  cause: string | undefined;
}
