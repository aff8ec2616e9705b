import type { ErrorCode } from '../../../domain/errors.ts';
import type { IdempotentCall } from '../../contract/idempotency.ts';
import type { Store } from '../../contract/store.ts';
import type { QueueTexts } from '../queue-codec.ts';
import type { StorePart } from './routes.ts';

/** The calls that a thread of the store answers: the contract, and those that travel as texts. */
export interface Parts extends Pick<Store, Exclude<StorePart, 'queue' | 'schedules'>> {
  readonly store: Pick<Store, 'check' | 'close'>;
  readonly queue: Store['queue'] & QueueTexts;
  readonly schedules: Store['schedules'] & ScheduleTexts;
}

/** New schedules travel as text: that costs a third of what copies of their rows do. */
export interface ScheduleTexts {
  /** @param text `NewCells` of each, as JSON */
  insertText(clientRowId: number, text: string, call?: IdempotentCall): Promise<boolean>;
}

type Method<Part extends keyof Parts> = keyof Parts[Part] & string;

/** The arguments and the answer of each method. */
type Signature<Part extends keyof Parts, Name extends Method<Part>> = Parts[Part][Name] extends (
  ...args: infer Args
) => Promise<infer Answer>
  ? { args: Args; answer: Answer }
  : never;

/** One call: which part, which method, and its own arguments. Arrays cross at half of what objects cost. */
export type StoreCall = {
  [Part in keyof Parts]: {
    [Name in Method<Part>]: [
      id: number,
      part: Part,
      method: Name,
      args: Signature<Part, Name>['args'],
    ];
  }[Method<Part>];
}[keyof Parts];

/** Puts a call on its way. */
export type CallStore = <Part extends keyof Parts, Name extends Method<Part>>(
  part: Part,
  method: Name,
  args: Signature<Part, Name>['args'],
) => Promise<Signature<Part, Name>['answer']>;

/** The result of a call: no fault and its answer, or its fault. */
export type CallResult =
  | [id: number, fault: null, answer: unknown]
  | [id: number, fault: CallFault];

export interface CallFault {
  code: ErrorCode | null;
  message: string;
  cause: string | undefined;
}
