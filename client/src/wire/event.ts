import type { Breaker } from './figures.ts';
import type { Run } from './run.ts';
import type { Schedule } from './schedule.ts';

/** What happened, in order. `id` resumes the stream; after a break some may come twice. */
export type PunctualEvent =
  | { id: string; type: 'run.ended'; data: Run }
  | { id: string; type: 'schedule.changed'; data: Schedule }
  /** A host has stopped to answer, or answers again. */
  | { id: string; type: 'breaker.opened' | 'breaker.closed'; data: Breaker }
  /** More happened between these two than is told one by one: ask the lists. */
  | { id: string; type: 'gap'; data: { from: string; to: string } };
