import type { Arrivals } from './arrivals.ts';
import { curveOf, median, must, mustAllArrive, tells, whole } from './result.ts';
import { type Burst, comparedInTurn, figuresOf, measureInTurn, twiceAMinute } from './rounds.ts';
import { createSchedules } from './schedules.ts';
import type { Session } from './session.ts';

/** Schedules that are not plain, to be seen beside as many plain ones. */
export interface Variant {
  name: string;
  /** Further fields of each schedule, as JSON without its braces. */
  fields: string;
  /** Of a firing's processor time, in parts of a plain one's. */
  mostRatio: number;
  settings?: Record<string, string>;
  /** Makes the resources that the schedules name. @param base of the node */
  prepare(base: string): Promise<unknown>;
}

/** At the full minute, other programs of the machine have something to do. */
const [PLAIN_SECOND, VARIANT_SECOND] = [2, 17];
const PLAIN: Variant = {
  name: 'plain',
  fields: '',
  mostRatio: 1,
  async prepare() {},
};

/** Bursts of plain schedules and of a variant, in turn, in two stores: a machine that is slow is so for both. */
export async function measureBesidePlain(
  session: Session,
  url: string,
  arrivals: Arrivals,
  variant: Variant,
): Promise<void> {
  const stage = { session, url, arrivals, settings: variant.settings ?? {} };
  const bursts = [
    await preparedBurst({ ...stage, variant: PLAIN, group: 'a', second: PLAIN_SECOND }),
    await preparedBurst({ ...stage, variant, group: 'b', second: VARIANT_SECOND }),
  ];
  const measured = await measureInTurn(bursts);
  const [plainRate, variantRate] = comparedInTurn(measured);
  const [plain, other] = measured.map(({ rounds }) => rounds.map(({ cpuMicros }) => cpuMicros));
  const ratio = median(other!.map((micros, turn) => micros / plain![turn]!));
  session.figures.push(
    must(
      'processor time, of a plain one',
      ratio.toFixed(3),
      `at most ${variant.mostRatio}`,
      ratio <= variant.mostRatio,
    ),
    tells('the least of each', (Math.min(...other!) / Math.min(...plain!)).toFixed(3)),
    tells('rate, of a plain one', (variantRate! / plainRate!).toFixed(3)),
  );
  for (const [at, { rounds, last }] of measured.entries()) {
    const name = bursts[at]!.name!;
    const { perSecond, cpuMicros } = figuresOf(rounds);
    session.rounds.push({ name, rounds });
    session.lateness.push(curveOf(name, last));
    session.figures.push(
      tells(name, `${cpuMicros!.toFixed(0)} µs a firing, ${whole(perSecond!)} /s`),
    );
  }
  const counts = measured.flatMap(({ rounds }) => rounds.map(({ counted }) => counted));
  session.figures.push(mustAllArrive('arrived', counts));
}

interface Wanted {
  session: Session;
  arrivals: Arrivals;
  url: string;
  settings: Record<string, string>;
  variant: Variant;
  group: string;
  second: number;
}

/** A node on a store of its own, with the schedules of the burst. */
async function preparedBurst(wanted: Wanted): Promise<Burst> {
  const { session, arrivals, url, settings, variant, group, second } = wanted;
  const { schedules } = session.options;
  const nodes = await session.startNodes(await session.startDatabase(), settings);
  const cadence = twiceAMinute(second);
  const base = nodes[0]!.url;
  await variant.prepare(base);
  await createSchedules(base, {
    count: schedules,
    group,
    interval: () => cadence.interval,
    url: () => url,
    fields: variant.fields,
  });
  return { session, arrivals, nodes, schedules, group, cadence, name: variant.name };
}

/** Fields as `Variant` takes them. */
export function fieldsText(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
}
