import type { ScheduleInput } from '@punctual/client';
import { newId, runId } from '../src/domain/id.ts';
import { startOf } from '../src/domain/run/start.ts';
import { draftNew } from '../src/domain/schedule/draft.ts';
import type { Schedule } from '../src/domain/schedule/schedule.ts';
import type { Store } from '../src/store/contract/store.ts';
import type { Machine } from './machine.ts';
import type { Node } from './node.ts';

/** A schedule that a caller asked for. */
export interface Asked {
  schedule: Schedule;
  /** Epoch ms by the world's time. */
  askedAt: number;
  /** Its create was answered. */
  acknowledged: boolean;
}

const ALLOW = { everything: true, networks: [], hosts: new Set<string>() };

/** The callers of a world: what they asked for, and what they were told. They ask the process that lives. */
export class Callers {
  readonly asked: Asked[] = [];
  /** Ids of manual runs whose trigger was answered. */
  readonly triggered: string[] = [];
  readonly clientRowId: number;
  readonly #machine: Machine;
  readonly #tell: (line: string) => void;

  private constructor(machine: Machine, clientRowId: number, tell: (line: string) => void) {
    this.#machine = machine;
    this.clientRowId = clientRowId;
    this.#tell = tell;
  }

  /** @param store as the world itself looks at it */
  static async of(
    { clients, keys }: Store,
    machine: Machine,
    tell: (line: string) => void,
  ): Promise<Callers> {
    const createdAt = machine.now;
    const id = newId(createdAt);
    const signingSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await clients.insertClient({ id, name: 'sim', signingSecret, createdAt });
    await keys.insertKey({ id: newId(createdAt), clientId: id, hash: id, createdAt });
    const { clientRowId } = (await keys.findCaller(id))!;
    return new Callers(machine, clientRowId, tell);
  }

  /** As `POST /v1/schedule` does it: what was not answered may be there, or not. */
  create(node: Node, body: ScheduleInput): void {
    if (!node.isUp) return;
    const now = this.#machine.now;
    const schedule = draftNew(body as never, now, ALLOW);
    const start = startOf(schedule, now);
    const seen = { schedule, askedAt: this.#machine.trueNow, acknowledged: false };
    this.asked.push(seen);
    this.#tell(`create s${this.asked.length}: ${schedule.interval} ${schedule.url}`);
    const inserted = node.store.schedules.insert(this.clientRowId, [{ schedule, start }]);
    inserted.then(
      () => {
        seen.acknowledged = true;
        if (start) node.does(engine => engine.wake(start.first));
      },
      () => {},
    );
  }

  /** As `POST /v1/schedule/{id}/trigger` does it. @param which 0 to below 1 */
  trigger(node: Node, which: number): void {
    const known = this.asked.filter(
      ({ acknowledged, schedule }) => acknowledged && schedule.timing?.afterCompletion !== 'delete',
    );
    if (!node.isUp || known.length === 0) return;
    const { schedule } = known[Math.floor(which * known.length)]!;
    const now = this.#machine.now;
    const run = { id: runId(newId(now), now), scheduledFor: now };
    this.#tell(`trigger s${this.asked.findIndex(each => each.schedule === schedule) + 1}`);
    const inserted = node.store.outbox.insertManual(this.clientRowId, schedule.id, run);
    inserted.then(
      () => {
        this.triggered.push(run.id);
        node.does(engine => engine.wakeOutbox(schedule.id));
      },
      () => {},
    );
  }
}
