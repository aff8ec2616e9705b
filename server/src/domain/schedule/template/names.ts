import { zoneOf } from '../../calendar/zones/zone.ts';
import { iso } from '../../iso.ts';
import type { PreviousFact, Schedule } from '../schedule.ts';

/** The names that a template may have, and their values. */

/** The facts about the run before, as far as there are any. Instants are epoch ms. */
export interface PreviousRun {
  /** Of the last run that ended before this one, whatever became of it. */
  status?: string;
  scheduledFor?: number;
  /** Of its last attempt. */
  responseStatus?: number;
  /** The last nominal time that succeeded, among the last 100 runs. */
  succeededFor?: number;
}

/** The facts that the values are made of. Instants are epoch ms. */
export interface TemplateFacts {
  runId: string;
  scheduledFor: number;
  attempt: number;
  trigger: string;
  scheduleId: string;
  externalId?: string | undefined;
  label: string;
  timezone: string;
  previous?: PreviousRun | undefined;
}

type Value = (facts: TemplateFacts) => string | number | undefined;

const VALUES = {
  'run.id': ({ runId }) => runId,
  'run.scheduledFor': ({ scheduledFor }) => iso(scheduledFor),
  'run.unix': ({ scheduledFor }) => Math.floor(scheduledFor / 1_000),
  'run.localDate': facts => localOf(facts).date,
  'run.localTime': facts => localOf(facts).time,
  'run.attempt': ({ attempt }) => attempt,
  'run.trigger': ({ trigger }) => trigger,
  'schedule.id': ({ scheduleId }) => scheduleId,
  'schedule.externalId': ({ externalId }) => externalId,
  'schedule.label': ({ label }) => label,
  'previous.status': ({ previous }) => previous?.status,
  'previous.scheduledFor': ({ previous }) => isoOf(previous?.scheduledFor),
  'previous.responseStatus': ({ previous }) => previous?.responseStatus,
  'previous.succeededFor': ({ previous }) => isoOf(previous?.succeededFor),
} satisfies Record<string, Value>;

export type TemplateName = keyof typeof VALUES;

export const TEMPLATE_NAMES = Object.keys(VALUES) as TemplateName[];

export function isTemplateName(name: string): name is TemplateName {
  return Object.hasOwn(VALUES, name);
}

/** The value as a text. A fact that is absent is an empty text. */
export function templateValue(name: TemplateName, facts: TemplateFacts): string {
  return String((VALUES[name] as Value)(facts) ?? '');
}

/** The facts of the run before that these names need; undefined where they need none. */
export function previousFactsOf(names: ReadonlySet<string>): PreviousFact[] | undefined {
  const used = TEMPLATE_NAMES.filter(name => name.startsWith(PREVIOUS) && names.has(name));
  const facts = used.map(name => name.slice(PREVIOUS.length) as PreviousFact);
  return facts.length === 0 ? undefined : facts;
}

/** The facts of one attempt of a run of this schedule. */
export function templateFactsOf(
  { id, delivery, label, timezone }: Pick<Schedule, 'id' | 'delivery' | 'label' | 'timezone'>,
  run: Pick<TemplateFacts, 'runId' | 'scheduledFor' | 'attempt' | 'trigger' | 'previous'>,
): TemplateFacts {
  return { ...run, scheduleId: id, externalId: delivery?.externalId, label, timezone };
}

function localOf({ timezone, scheduledFor }: TemplateFacts): { date: string; time: string } {
  const { offsetMs } = zoneOf(timezone).segmentAt(scheduledFor);
  const [date, time] = new Date(scheduledFor + offsetMs).toISOString().split('T');
  return { date: date!, time: time!.slice(0, 'hh:mm:ss'.length) };
}

function isoOf(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : iso(instant);
}

const PREVIOUS = 'previous.';
