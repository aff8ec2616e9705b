import { Attempt, Callback, Phases, Run, RunPage } from './run.ts';
import {
  BatchInput,
  BatchResult,
  DeleteResult,
  Integration,
  IntegrationInput,
  Policy,
  Schedule,
  ScheduleInput,
  SchedulePage,
  SchedulePatch,
} from './schedule.ts';
import { ErrorBody, Health, PreviewInput, Times, Timezones } from './time.ts';

/** Every schema that has a name of its own. */
export const COMPONENTS = [
  Schedule,
  ScheduleInput,
  SchedulePatch,
  Policy,
  Integration,
  IntegrationInput,
  SchedulePage,
  BatchInput,
  BatchResult,
  DeleteResult,
  Run,
  Attempt,
  Phases,
  Callback,
  RunPage,
  PreviewInput,
  Times,
  Timezones,
  Health,
  ErrorBody,
];
