import type { ErrorCode } from '../../domain/errors.ts';
import type { Store } from '../store.ts';

/** One call to the thread that writes, or to one of those that read. Arrays cross at half of what objects cost. */
export type Call = [
  id: number,
  /** Null: the store itself. */
  room: Exclude<keyof Store, 'shared' | 'check' | 'close'> | null,
  method: string,
  args: unknown[],
];

export type Answer = [id: number, value: unknown, fault?: Fault];

export interface Fault {
  code: ErrorCode | null;
  message: string;
  cause: string | undefined;
}
