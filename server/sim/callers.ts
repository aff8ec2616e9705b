import type { Schedule, ScheduleInput, SchedulePatch } from '@punctual/client';
import type { ApiAnswer } from './api.ts';
import { AGAIN_MS, type Caller, callAs } from './call-once.ts';
import type { PlayedClient } from './clients.ts';
import type { ExplainedSeen, NextSeen } from './model/evidence.ts';
import type { Call } from './node.ts';
import type { Race } from './race.ts';
import { isSteered } from './steered-workload.ts';
import { isPlanned } from './workload.ts';

/** A schedule that a caller asked for. */
export interface Asked {
  body: ScheduleInput;
  client: PlayedClient;
  /** It names the schedule also where nobody was told its id. */
  label: string;
  /** As the create was answered; null where it was not. */
  told: Schedule | null;
  /** When that was, epoch ms by the world's time. */
  toldAt: number;
  edits: Edit[];
}

/** A change that a caller asked for, once. Instants are epoch ms. */
export interface Edit {
  /** From 1 on; its label ends with it. */
  number: number;
  /** As a JSON Merge Patch; null: the schedule was deleted. */
  patch: SchedulePatch | null;
  askedAt: number;
  /** When the caller was answered, or waited no more; Infinity until then. */
  endedAt: number;
  /** The same by the world's time. */
  during: { from: number; to: number };
  answer: ApiAnswer | null;
  /** Of its answer, whatever that was; null: there was none. */
  status: number | null;
  /** The tag that its `If-Match` names. */
  match?: string;
}

export interface CallersOptions extends Caller {
  /** Since when nothing is wrong with the store, ms since the machine started. */
  wellSinceMs: () => number;
  tell: (line: string) => void;
}

const MOST_TRIES = 20;

/** The callers of a world: what they asked for, and what they were told. They ask the process that lives. */
export class Callers {
  readonly asked: Asked[] = [];
  /** Ids of manual runs whose trigger was answered. */
  readonly triggered: string[] = [];
  /** What they were told instead, while nothing was wrong. */
  readonly refused: string[] = [];
  readonly explained: ExplainedSeen[] = [];
  readonly nexts: NextSeen[] = [];
  readonly #around: CallersOptions;
  #calls = 0;
  #isOver = false;

  constructor(around: CallersOptions) {
    this.#around = around;
  }

  /** Nobody asks again from here on. */
  end(): void {
    this.#isOver = true;
  }

  async createAll(client: PlayedClient, bodies: ScheduleInput[]): Promise<void> {
    const asked = bodies.map(body => this.#ask(client, body));
    const items = asked.map(({ body, label }) => ({ ...body, label }));
    const answer = await this.#call(client, 'POST', '/v1/schedule/batch', { items });
    if (answer?.status !== 200) return;
    for (const [index, told] of answer.body.items.entries())
      Object.assign(asked[index]!, { told, toldAt: this.#around.machine.trueNow });
  }

  async create(client: PlayedClient, body: ScheduleInput): Promise<void> {
    const asked = this.#ask(client, body);
    const { label } = asked;
    const answer = await this.#call(client, 'POST', '/v1/schedule', { ...body, label });
    if (answer?.status !== 200) return;
    Object.assign(asked, { told: answer.body, toldAt: this.#around.machine.trueNow });
  }

  /** @param which 0 to below 1, as of all that pick a schedule */
  async trigger(which: number): Promise<void> {
    const asked = this.#pick(which, ({ told }) => told?.afterCompletion !== 'delete');
    if (asked === undefined) return;
    this.#around.tell(`trigger ${asked.label}`);
    const path = `/v1/schedule/${asked.told!.id}/trigger`;
    const answer = await this.#call(asked.client, 'POST', path);
    if (answer?.status === 200) this.triggered.push(answer.body.id);
  }

  async edit(which: number, patch: SchedulePatch | null): Promise<void> {
    const asked = this.#pick(which, isChangeable);
    if (asked !== undefined) await this.#change(asked, patch);
  }

  /** Two changes of one schedule. The second one is asked for so much later, mostly before the first was answered. */
  async race(which: number, { changes, apartMs, namesVersion }: Race): Promise<void> {
    const { machine } = this.#around;
    const asked = this.#pick(which, isChangeable);
    if (asked === undefined) return;
    const match = namesVersion ? await this.#tagOf(asked) : undefined;
    if (namesVersion && match === undefined) return;
    void this.#change(asked, changes[0], match);
    await machine.sleep(apartMs, machine.world);
    await this.#change(asked, changes[1], match);
  }

  async #tagOf({ told, client }: Asked): Promise<string | undefined> {
    const path = `/v1/schedule/${told!.id}`;
    return (await callAs(client, { method: 'GET', path }, this.#around))?.etag;
  }

  /** Only once: a change that was not answered may have been made. */
  async #change(
    { told, label, client, edits }: Asked,
    patch: SchedulePatch | null,
    match?: string,
  ): Promise<void> {
    const { machine, tell, wellSinceMs } = this.#around;
    const number = edits.length + 1;
    const { now, elapsedMs, trueNow } = machine;
    const endedAt = Number.POSITIVE_INFINITY;
    const during = { from: trueNow, to: endedAt };
    const edit: Edit = { number, patch, askedAt: now, endedAt, during, answer: null, status: null };
    if (match !== undefined) edit.match = match;
    edits.push(edit);
    const path = `/v1/schedule/${told!.id}`;
    const body = patch && { ...patch, label: `${label}#${number}` };
    const named = match === undefined ? '' : ` of ${match}`;
    tell(body ? `patch ${label}${named}: ${JSON.stringify(body)}` : `delete ${label}${named}`);
    const answer = await callAs(
      client,
      body ? { method: 'PATCH', path, body, match } : { method: 'DELETE', path, match },
      this.#around,
    );
    edit.endedAt = machine.now;
    edit.during.to = machine.trueNow;
    edit.status = answer?.status ?? null;
    if (answer?.status === 200) edit.answer = answer;
    else {
      const said = `${label}#${number}: ${answer ? `${answer.status} ${answer.body.error}` : 'none'}`;
      tell(said);
      if (edit.status !== null && edit.status >= 500 && elapsedMs >= wellSinceMs())
        this.refused.push(said.replace(/\.$/, ''));
    }
  }

  async explain(which: number, at: number): Promise<void> {
    const asked = this.#pick(which, () => true);
    if (asked === undefined) return;
    const { told, label } = asked;
    const { machine, tell } = this.#around;
    const askedAt = machine.now;
    const query = new URLSearchParams({ at: new Date(at).toISOString() });
    const path = `/v1/schedule/${told!.id}/explain?${query}`;
    const answer = await callAs(asked.client, { method: 'GET', path }, this.#around);
    if (answer?.status !== 200) return;
    const { verdict } = answer.body;
    tell(`explain ${label} at ${answer.body.at}: ${verdict}`);
    const seen = { scheduleId: told!.id, at, askedAt, answeredAt: machine.now, verdict };
    this.explained.push(seen);
  }

  async next(which: number, count: number): Promise<void> {
    const asked = this.#pick(which, () => true);
    if (asked === undefined) return;
    const { machine } = this.#around;
    const askedAt = machine.now;
    const scheduleId = asked.told!.id;
    const path = `/v1/schedule/${scheduleId}/next?count=${count}`;
    const answer = await callAs(asked.client, { method: 'GET', path }, this.#around);
    if (answer?.status !== 200) return;
    const times = (answer.body.times as string[]).map(Date.parse);
    this.nexts.push({ scheduleId, askedAt, answeredAt: machine.now, times });
  }

  /** One of those whose create was answered. */
  #pick(which: number, isMeant: (asked: Asked) => boolean): Asked | undefined {
    const known = this.asked.filter(asked => asked.told !== null && isMeant(asked));
    return known[Math.floor(which * known.length)];
  }

  #ask(client: PlayedClient, body: ScheduleInput): Asked {
    const label = `s${this.asked.length + 1}`;
    const asked = { body, client, label, told: null, toldAt: 0, edits: [] };
    this.asked.push(asked);
    this.#around.tell(`create ${asked.label}: ${body.interval} ${body.url}`);
    return asked;
  }

  /** Asks, and asks again under the same key, until there is an answer. @returns null where there was none to the end */
  async #call(
    client: PlayedClient,
    method: Call['method'],
    path: string,
    body?: object,
  ): Promise<ApiAnswer | null> {
    this.#calls += 1;
    const key = `c${this.#calls}`;
    const { machine, wellSinceMs, tell } = this.#around;
    for (let tries = 1; tries <= MOST_TRIES && !this.#isOver; tries += 1) {
      const askedAt = machine.elapsedMs;
      const answer = await callAs(client, { method, path, key, body }, this.#around);
      if (answer !== null && answer.status !== 200) {
        const told = `${method} ${path}: ${answer.status} ${answer.body.error.replace(/\.$/, '')}`;
        tell(told);
        const isBusy = answer.status >= 500 || answer.status === 409;
        if (answer.status >= 500 && askedAt >= wellSinceMs()) this.refused.push(told);
        if (!isBusy) return answer;
      } else if (answer !== null) return answer;
      await machine.sleep(AGAIN_MS, machine.world);
    }
    return null;
  }
}

/** Its times are a cron interval alone, its target changes nothing, and it was not to be deleted. */
function isChangeable({ body, edits }: Asked): boolean {
  const isCron = !isPlanned(body) && body.exclude === undefined;
  return isCron && !isSteered(body) && edits.every(({ patch }) => patch !== null);
}
