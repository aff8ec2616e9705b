import type { DatabaseSync } from 'node:sqlite';
import type {
  Claim,
  OutboxClaim,
  OutboxSettlement,
  Settlement,
} from '../../src/store/contract/queue.ts';
import type { Machine } from '../machine.ts';
import type { Shared } from '../model/evidence.ts';
import type { Random } from '../random.ts';

/** Of all writes. */
const LOST = 0.01;
/** What writes, of the parts that an engine and its callers call all the time. */
const WRITES: Record<string, readonly string[]> = {
  queue: ['claim', 'settle', 'unblock', 'renew', 'recover'],
  outbox: ['claim', 'settle', 'renew', 'recover', 'insertManual'],
  schedules: ['insert', 'update', 'updateAll'],
  completions: ['say'],
};

/** The store has done the work, and its answer is lost: the process is told that the store failed. */
export class LostAnswers {
  /** Whether any are lost. */
  isOn = false;
  /** Ms of the machine: until then all are lost. */
  untilMs = 0;
  /** When the last one was lost, ms of the machine. */
  lastMs = 0;
  readonly answers: Shared['lostAnswers'] = [];
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #database: DatabaseSync;
  readonly #tell: (line: string) => void;

  constructor(
    machine: Machine,
    database: DatabaseSync,
    random: Random,
    tell: (line: string) => void,
  ) {
    this.#machine = machine;
    this.#database = database;
    this.#random = random;
    this.#tell = tell;
  }

  heal(): void {
    this.isOn = false;
  }

  isLost(part: string, method: string, parameters: unknown[], answer: unknown): boolean {
    if (!this.isOn || !WRITES[part]?.includes(method)) return false;
    const isLost = this.#random.chance(LOST) || this.#machine.elapsedMs < this.untilMs;
    if (!isLost) return false;
    this.lastMs = this.#machine.elapsedMs;
    this.#tell(`the answer of ${part}.${method} is lost`);
    const keys = keysOf(part, method, parameters, answer);
    this.answers.push({ at: this.#machine.trueNow, scheduleIds: keys.map(key => this.#idOf(key)) });
    return true;
  }

  /** Who got no answer tries again a little later. */
  get stalls(): { from: number; to: number }[] {
    return this.answers.map(({ at }) => ({ from: at, to: at + 1 }));
  }

  #idOf(key: number): string {
    const row = this.#database.prepare('SELECT id FROM schedules WHERE schedule_key = ?').get(key);
    return String(row?.id);
  }
}

/** The schedules whose claims nobody knows of, or that may be settled again. */
function keysOf(part: string, method: string, parameters: unknown[], answer: unknown): number[] {
  if (method === 'settle') {
    const [settlements] = parameters as [(Settlement | OutboxSettlement)[]];
    return settlements.map(({ scheduleRowId }) => scheduleRowId);
  }
  if (method !== 'claim') return [];
  const claims =
    part === 'queue' ? (answer as { claims: Claim[] }).claims : (answer as OutboxClaim[]);
  return claims.map(({ scheduleRowId }) => scheduleRowId);
}
