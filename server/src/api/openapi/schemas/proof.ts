import type * as Wire from '@punctual/client';
import type { Static, TSchema } from 'typebox';
import type * as access from './access.ts';
import type * as callbacks from './callback.ts';
import type * as check from './check.ts';
import type * as runs from './run.ts';
import type * as schedules from './schedule.ts';
import type * as stats from './stats.ts';
import type * as times from './time.ts';

/**
 * The proof that every schema says exactly what its wire type says, optional fields included: this
 * file compiles only then. So server and client cannot drift apart.
 */

/** Flattened, so that two spellings of one type become one. */
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;

/** True only for types that no generic use can tell apart: `a?: T` is not `a: T | undefined`. */
type Equal<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

type Proof<Schema extends TSchema, Type> = Equal<Static<Schema>, Type>;

type Proofs = [
  Proof<typeof schedules.Policy, Wire.Policy>,
  Proof<typeof schedules.PolicyPatch, Wire.PolicyPatch>,
  Proof<typeof schedules.Integration, Wire.Integration>,
  Proof<typeof schedules.IntegrationInput, Wire.IntegrationInput>,
  Proof<typeof schedules.Schedule, Wire.Schedule>,
  Proof<typeof schedules.ScheduleInput, Wire.ScheduleInput>,
  Proof<typeof schedules.SchedulePatch, Wire.SchedulePatch>,
  Proof<typeof schedules.DeleteResult, Wire.DeleteResult>,
  Proof<typeof schedules.ScheduleQuery, Wire.ScheduleQuery>,
  Proof<typeof schedules.SchedulePage, Wire.SchedulePage>,
  Proof<typeof schedules.BatchInput, Wire.BatchInput>,
  Proof<typeof schedules.BatchResult, Wire.BatchResult>,
  Proof<typeof runs.Phases, Wire.Phases>,
  Proof<typeof runs.Attempt, Wire.Attempt>,
  Proof<typeof runs.Callback, Wire.Callback>,
  Proof<typeof callbacks.CallbackRun, Wire.CallbackRun>,
  Proof<typeof callbacks.ScheduleCallback, Wire.ScheduleCallback>,
  Proof<typeof runs.Run, Wire.Run>,
  Proof<typeof runs.RunQuery, Wire.RunQuery>,
  Proof<typeof runs.RunPage, Wire.RunPage>,
  Proof<typeof stats.ExplainQuery, Wire.ExplainQuery>,
  Proof<typeof stats.Explanation, Wire.Explanation>,
  Proof<typeof stats.HistoryQuery, Wire.HistoryQuery>,
  Proof<typeof stats.HistoryStep, Wire.HistoryStep>,
  Proof<typeof stats.History, Wire.History>,
  Proof<typeof stats.StatsQuery, Wire.StatsQuery>,
  Proof<typeof stats.Tally, Wire.Tally>,
  Proof<typeof stats.StatsMinute, Wire.StatsMinute>,
  Proof<typeof stats.FailingSchedule, Wire.FailingSchedule>,
  Proof<typeof stats.UpcomingFiring, Wire.UpcomingFiring>,
  Proof<typeof stats.Breaker, Wire.Breaker>,
  Proof<typeof stats.Stats, Wire.Stats>,
  Proof<typeof stats.ForecastQuery, Wire.ForecastQuery>,
  Proof<typeof stats.ForecastHost, Wire.ForecastHost>,
  Proof<typeof stats.Forecast, Wire.Forecast>,
  Proof<typeof times.OffsetsQuery, Wire.OffsetsQuery>,
  Proof<typeof times.ZoneOffset, Wire.ZoneOffset>,
  Proof<typeof times.ZoneOffsets, Wire.ZoneOffsets>,
  Proof<typeof check.Problem, Wire.Problem>,
  Proof<typeof check.ClockNote, Wire.ClockNote>,
  Proof<typeof check.CheckResult, Wire.CheckResult>,
  Proof<typeof check.TryResult, Wire.TryResult>,
  Proof<typeof access.Session, Wire.Session>,
  Proof<typeof access.SessionEnd, Wire.SessionEnd>,
  Proof<typeof access.SessionEndQuery, Wire.SessionEndQuery>,
  Proof<typeof access.ListedSession, Wire.ListedSession>,
  Proof<typeof access.SessionList, Wire.SessionList>,
  Proof<typeof access.KeyInput, Wire.KeyInput>,
  Proof<typeof access.Key, Wire.Key>,
  Proof<typeof access.NewKey, Wire.NewKey>,
  Proof<typeof access.RevokeQuery, Wire.RevokeQuery>,
  Proof<typeof access.RevokedKey, Wire.RevokedKey>,
  Proof<typeof access.KeyList, Wire.KeyList>,
  Proof<typeof access.RotationInput, Wire.RotationInput>,
  Proof<typeof access.SigningSecret, Wire.SigningSecret>,
  Proof<typeof access.NewSigningSecret, Wire.NewSigningSecret>,
  Proof<typeof times.PreviewInput, Wire.PreviewInput>,
  Proof<typeof times.NextQuery, Wire.NextQuery>,
  Proof<typeof times.Times, Wire.Times>,
  Proof<typeof times.Timezones, string[]>,
  Proof<typeof times.Pause, Wire.Pause>,
  Proof<typeof times.Health, Wire.Health>,
  Proof<typeof times.ErrorBody, Wire.ErrorBody>,
];

type AllTrue<List extends readonly true[]> = List;
export type Proved = AllTrue<Proofs>;
