import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Instant, nullableOf, oneOf, orNull, proven } from './fields.ts';

/** The fields that decide when a schedule fires, besides interval and time zone. */

const ON_EXCLUDED = ['skip', 'nextDay', 'previousDay'] as const;
const AFTER_COMPLETION = ['disable', 'delete'] as const;

const instant = (description: string) =>
  Type.String({
    description: `${description} ISO 8601 with an offset.`,
    examples: ['2026-12-24T18:00:00Z'],
  });
const startsAt = 'Times of the interval before it are left out.';
const endsAt = 'Exclusive: times of the interval from here on are left out.';
const pausedUntil =
  'Nothing fires before it; then the schedule goes on by itself, without catching up.';
const maxRuns = () =>
  Type.Integer({
    description: 'How many times there are, from the create or the last change of its times on.',
    minimum: 1,
    maximum: 1_000_000,
  });
const windowSeconds = () =>
  Type.Integer({
    description:
      'Each time is later by an offset of its own, which lies in this window and never changes.',
    minimum: 1,
    maximum: 86_400,
  });
const exclude = () =>
  Type.Array(Type.String({ description: 'The name of a calendar.' }), {
    description: 'Calendars whose days and times do not fire.',
    minItems: 1,
    maxItems: 5,
  });
const onExcluded = () =>
  oneOf(ON_EXCLUDED, {
    description:
      'The fate of an excluded time: `skip` by default; `nextDay` and `previousDay` move it to the same local time ' +
      'of the nearest day that is not excluded.',
  });
const afterCompletion = () =>
  oneOf(AFTER_COMPLETION, {
    description: 'The fate of the schedule when no time is left to come: `disable` by default.',
  });

const shared = {
  maxRuns: Type.Optional(maxRuns()),
  windowSeconds: Type.Optional(windowSeconds()),
  exclude: Type.Optional(exclude()),
  onExcluded: Type.Optional(onExcluded()),
  afterCompletion: Type.Optional(afterCompletion()),
};

/** As a create and a replace take them. */
export const timingInput = {
  startsAt: Type.Optional(instant(startsAt)),
  endsAt: Type.Optional(instant(endsAt)),
  pausedUntil: Type.Optional(instant(pausedUntil)),
  ...shared,
};

/** As answers show them. */
export const timingAnswer = {
  startsAt: Type.Optional(Instant(startsAt)),
  endsAt: Type.Optional(Instant(endsAt)),
  pausedUntil: Type.Optional(Instant(pausedUntil)),
  ...shared,
};

/** As a patch takes them: null removes. */
export const timingPatch = {
  startsAt: Type.Optional(orNull<string>(instant(startsAt))),
  endsAt: Type.Optional(orNull<string>(instant(endsAt))),
  pausedUntil: Type.Optional(orNull<string>(instant(pausedUntil))),
  maxRuns: Type.Optional(orNull<number>(maxRuns())),
  windowSeconds: Type.Optional(orNull<number>(windowSeconds())),
  exclude: Type.Optional(orNull<string[]>(exclude())),
  onExcluded: Type.Optional(orNull<Wire.OnExcluded>(nullableOf(ON_EXCLUDED, onExcluded()))),
  afterCompletion: Type.Optional(
    orNull<Wire.AfterCompletion>(nullableOf(AFTER_COMPLETION, afterCompletion())),
  ),
};

/** Held equal to the wire's type by the compiler. */
export const TimingInput = proven<Wire.TimingInput>()(Type.Object(timingInput));
