import { notifications } from '@mantine/notifications';
import type { PunctualClient } from '@punctual/client';
import { createElement } from 'react';
import { api, leavingApi, queries, sentenceOf } from '../queries.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { knownSchedules, type Shown, showPending } from './optimistic.ts';
import type { PendingChange } from './pending.ts';
import { allRefused, refusalText, type Tally } from './tally.ts';
import { UndoMessage } from './undo-message.tsx';

/** So long a change can be undone. The time stands still while the message is pointed at. */
const UNDO_MS = 10_000;
const REFUSAL_MS = 10_000;
/** Requests under way at the same moment where one click asks for many. */
const AT_ONCE = 8;
/** Chromium sends no more for a page that is left. */
const AT_ONCE_LEAVING = 20;

/** A change of schedules, which the screen shows before the service knows of it. */
export interface Change {
  /** The ids of the schedules. */
  ids: readonly string[];
  pending: PendingChange[];
  /** Such as `paused`: it says what was done, or what was not. */
  word: string;
  /** A sentence about this number of schedules. */
  said: (count: number) => string;
  send: (sender: Sender) => Promise<Tally>;
  /** The first words of the queries that are asked again afterwards. */
  touched: readonly string[];
}

export interface Undoable extends Change {
  /** The opposite, for those that were changed. Without it the change is sent late. */
  undo?: (ids: readonly string[]) => Change;
}

export interface Sender {
  api: PunctualClient;
  /** Requests under way at most. */
  atOnce: number;
  /** Aborted where it is undone: requests that have not begun are not sent. */
  signal: AbortSignal;
}

/** The changes that can be undone now, oldest first. */
const open = new Set<Open>();
/** Those without an opposite that have not arrived yet. */
const late = new Set<Open>();
let count = 0;

/**
 * Makes a change that can be undone for ten seconds. With an opposite it is sent at once. Without one it is
 * sent when the time has passed, when its message is closed, or when the page is left.
 */
export function useUndoable(): (change: Undoable) => void {
  return undoable;
}

export function undoable(change: Undoable): void {
  open.add(new Open(change));
}

/** The last change that can be undone. */
export function undoLast(): void {
  [...open].at(-1)?.takeBack();
}

/** Sends all that waits for its time to pass, and resolves when it has arrived. */
export async function sendLate(through: PunctualClient = api): Promise<void> {
  await Promise.all([...late].map(one => one.sendNow(through)));
}

/** Somebody else is signed in: nothing of who was before is sent any more. */
export function dropLate(): void {
  for (const one of late) one.drop();
}

addEventListener('pagehide', () => void sendLate(leavingApi));
addEventListener('beforeunload', event => {
  if ([...late].reduce((sum, { size }) => sum + size, 0) <= AT_ONCE_LEAVING) return;
  // A page that is left cannot send that many: the browser asks while they leave.
  void sendLate();
  event.preventDefault();
});

/** One change, from the click until it cannot be undone any more. */
class Open {
  readonly size: number;
  readonly #id = `change-${++count}`;
  readonly #change: Undoable;
  readonly #shown: Shown;
  readonly #stop = new AbortController();
  #sending: Promise<Tally> | null = null;
  #isTakenBack = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(change: Undoable) {
    this.#change = change;
    this.size = change.ids.length;
    this.#shown = showPending(queries, change.pending);
    this.#say(change.said(this.size));
    if (change.undo === undefined) late.add(this);
    else void this.sendNow();
  }

  /** Resolves when it has arrived, whoever sent it. */
  async sendNow(through: PunctualClient = api): Promise<void> {
    if (this.#sending !== null) {
      await this.#sending;
      return;
    }
    this.#sending = sent(this.#change, through, this.#stop.signal);
    // A request that has left without an opposite cannot be taken back: nothing offers it any more.
    if (late.has(this)) this.#close();
    const tally = await this.#sending;
    late.delete(this);
    if (this.#isTakenBack) return;
    finish(this.#change, this.#shown, tally);
    if (tally.done.length === 0) this.#close();
    else if (tally.refused.length > 0) this.#sayAgain(this.#change.said(tally.done.length));
  }

  takeBack(): void {
    if (!open.delete(this)) return;
    this.#isTakenBack = true;
    this.#stop.abort();
    clearTimeout(this.#timer);
    notifications.hide(this.#id);
    const { undo, ids } = this.#change;
    notifications.show({ message: 'It is undone.', color: 'gray' });
    if (undo === undefined || this.#sending === null) {
      late.delete(this);
      this.#shown.drop();
      return;
    }
    void this.#sendBack(undo, showPending(queries, undo(ids).pending), this.#sending);
  }

  /** Nothing of it is sent any more, also if a part has left. */
  drop(): void {
    this.takeBack();
    this.#stop.abort();
  }

  /** The opposite leaves when all that was under way has come back. */
  async #sendBack(undo: NonNullable<Undoable['undo']>, back: Shown, sending: Promise<Tally>) {
    this.#shown.drop();
    const { done } = await sending;
    const change = undo(done);
    finish(change, back, await sent(change, api, new AbortController().signal));
  }

  #say(text: string): void {
    const [wait, rest] = [() => this.#count(), () => clearTimeout(this.#timer)];
    notifications.show({
      ...this.#message(text),
      priority: 1,
      autoClose: false,
      onOpen: wait,
      onMouseEnter: rest,
      onMouseLeave: wait,
      onFocusCapture: rest,
      onBlurCapture: wait,
      onClose: () => this.#passed(),
    });
  }

  #sayAgain(text: string): void {
    notifications.update(this.#message(text));
  }

  #message(text: string) {
    const onUndo = () => this.takeBack();
    return { id: this.#id, message: createElement(UndoMessage, { text, onUndo }), color: 'gray' };
  }

  #count(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#close(), UNDO_MS);
  }

  #close(): void {
    notifications.hide(this.#id);
  }

  /** It cannot be undone any more. */
  #passed(): void {
    clearTimeout(this.#timer);
    if (open.delete(this)) void this.sendNow();
  }
}

async function sent(change: Change, through: PunctualClient, signal: AbortSignal): Promise<Tally> {
  const atOnce = through === leavingApi ? AT_ONCE_LEAVING : AT_ONCE;
  try {
    return await change.send({ api: through, atOnce, signal });
  } catch (error) {
    return allRefused(change.ids, error);
  }
}

/** Changes that were made hold, refused ones come back with their sentence, and the lists are asked again. */
function finish({ word, touched }: Change, shown: Shown, { done, refused }: Tally): void {
  shown.settle(done);
  if (refused.length > 0) {
    const known = knownSchedules(queries);
    const nameOfId = (id: string) => {
      const schedule = known.get(id);
      return schedule === undefined ? `The schedule ${id}` : nameOf(schedule);
    };
    const message = refusalText(refused, word, nameOfId, sentenceOf);
    notifications.show({ message, color: 'red', priority: 2, autoClose: REFUSAL_MS });
  }
  for (const name of touched) void queries.invalidateQueries({ queryKey: [name] });
}
