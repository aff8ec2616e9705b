/** The notifications of nodes to each other, and their form in a message of NOTIFY. */

export const CHANNEL = 'punctual';

export interface Notification {
  /** Rows of the queue were written; the first of them is due then. */
  dueAt?: number;
  /** Schedules and when they were changed. */
  changed: [id: string, changedAt: number][];
  /** Schedules with a manual run that waits. */
  manual: string[];
  /** Clients (`clientRowId`) that sign with other secrets. */
  rotated: number[];
}

/** A node's message to itself, by which it knows that it hears. */
export interface Heartbeat {
  beat: number;
}

export function notificationText(from: string, content: Notification | Heartbeat): string {
  return JSON.stringify({ from, ...content });
}

/** @returns null where it is not of this form: anyone may write to a channel */
export function readNotification(
  text: string,
): { from: string; content: Notification | Heartbeat } | null {
  try {
    const { from, beat, dueAt, changed, manual, rotated = [] } = JSON.parse(text);
    if (typeof from !== 'string') return null;
    if (typeof beat === 'number') return { from, content: { beat } };
    const isChanged = Array.isArray(changed) && changed.every(isChange);
    const isManual = Array.isArray(manual) && manual.every(id => typeof id === 'string');
    const isRotated = Array.isArray(rotated) && rotated.every(key => typeof key === 'number');
    if (!isChanged || !isManual || !isRotated) return null;
    return {
      from,
      content: { changed, manual, rotated, ...(typeof dueAt === 'number' && { dueAt }) },
    };
  } catch {
    return null;
  }
}

function isChange(each: unknown): boolean {
  return Array.isArray(each) && typeof each[0] === 'string' && typeof each[1] === 'number';
}
