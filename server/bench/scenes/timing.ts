import { api } from '../api.ts';
import { fieldsText, measureBesidePlain } from '../beside-plain.ts';
import type { Scene } from '../session.ts';

const YEAR_MS = 365 * 86_400_000;

export const timing: Scene = {
  name: 'timing',
  about: '20,000 plain schedules and 20,000 with every field of time, in turn, in two stores',
  defaults: { schedules: 20_000, rounds: 20 },
  async run(session) {
    const { target, arrivals } = await session.startTarget();
    await measureBesidePlain(session, target.url(), arrivals, {
      name: 'every field',
      fields: everyField(Date.now()),
      mostRatio: 1.05,
      prepare(base) {
        const period = { from: '2000-01-01', to: '2000-01-02', summary: 'The day of no firing' };
        return api(base, 'PUT', '/v1/calendar/none-now', { periods: [period] });
      },
    });
  },
};

/** As far as they let a schedule fire in the same second as a plain one. */
function everyField(now: number): string {
  const at = (instant: number) => new Date(instant).toISOString();
  return fieldsText({
    startsAt: at(now - YEAR_MS),
    endsAt: at(now + YEAR_MS),
    maxRuns: 1_000_000,
    windowSeconds: 1,
    exclude: ['none-now'],
    onExcluded: 'skip',
    afterCompletion: 'disable',
    tags: { team: 'bench', 'cost-centre': '42' },
  });
}
