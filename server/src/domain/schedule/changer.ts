import type { ServiceChange } from './service-change.ts';

/**
 * The author of a change: a key by its id, a command, the service itself, or the target that a run called.
 */
export type ScheduleChanger = { kind: 'key'; keyId: string } | { kind: OtherChanger };

const OTHERS = ['cli', 'service', 'target'] as const;
type OtherChanger = (typeof OTHERS)[number];

/** As it is stored: the id of a key, or a word that is no id. */
export function changerText(changer: ScheduleChanger): string {
  return changer.kind === 'key' ? changer.keyId : changer.kind;
}

export function changerFrom(text: string): ScheduleChanger {
  const other = OTHERS.find(kind => kind === text);
  return other === undefined ? { kind: 'key', keyId: text } : { kind: other };
}

/** A target asks for a pause, and for its own end; all else the service decides. */
export function changerOf({ statusReason, pausedUntil }: ServiceChange): ScheduleChanger {
  const isTargets = pausedUntil !== undefined || BY_TARGET.includes(statusReason);
  return { kind: isTargets ? 'target' : 'service' };
}

const BY_TARGET: ServiceChange['statusReason'][] = ['targetDisabled', 'targetGone'];
