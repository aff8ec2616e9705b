import type { Breaker } from './figures.ts';
import type { Run } from './run.ts';
import type { Schedule } from './schedule.ts';

/** An event of the stream, in order. `id` resumes the stream; after a break some may come twice. */
export type PunctualEvent =
  | { id: string; type: 'run.ended'; data: Run }
  /** Without its headers, data and body, which may be secrets. */
  | { id: string; type: 'schedule.changed'; data: Omit<Schedule, 'headers' | 'data' | 'body'> }
  /** A host stopped responding, or responds again. */
  | { id: string; type: 'breaker.opened' | 'breaker.closed'; data: Breaker }
  /** More happened between these two than is told one by one: ask the lists. */
  | { id: string; type: 'gap'; data: { from: string; to: string } };
