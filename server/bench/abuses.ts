import { slowNames, whyNoSlowNames } from '../test/support/service/slow-names.ts';
import type { AbuserOptions, Kind, Statuses } from './abuser.ts';
import { messageOf, pause, startScript, temporaryFolder } from './processes.ts';
import { CREDENTIALS, type Punctual } from './punctual.ts';
import { createSchedules } from './schedules.ts';

/** The abuse of client A: its schedules, and the requests that it repeats all the time. */
export interface Abuse {
  name: string;
  /** Why it cannot be shown here. */
  whyNot?: string | null;
  /** Of the service. */
  settings?: () => Record<string, string>;
  /** A's schedules. */
  prepare?: (world: Abused) => Promise<unknown>;
  kind?: Kind;
}

/** The neighbours that client A abuses, and the means it needs. */
export interface Abused {
  node: Punctual;
  /** Answers at once, of one of 100 hosts. */
  answers: (host: number) => string;
  hangs: () => string;
  /** For `20,000 at once`. */
  schedules: number;
}

const EVERY_SECOND = '* * * * * *';
const AT_REST = '0 0 1 1 *';
/** Longer than any case. */
const SLOW_SECONDS = 40;

export const ABUSES: Abuse[] = [
  { name: 'nothing' },
  {
    name: 'slow names',
    whyNot: whyNoSlowNames(),
    // Each firing of B has its own connection, and so a lookup: with this many hosts, no connection
    // is kept.
    settings: () => ({
      PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8,localhost',
      PUNCTUAL_MAX_ORIGINS: '1',
      ...slowNames(temporaryFolder(), SLOW_SECONDS),
    }),
    prepare: ({ node }) =>
      ofA(
        node,
        300,
        index => `http://${index}.slow.test/`,
        () => EVERY_SECOND,
      ),
  },
  { name: 'event streams', kind: 'streams' },
  {
    name: 'manual runs',
    kind: 'triggers',
    prepare: ({ node, hangs }) => ofA(node, 50, hangs, () => AT_REST),
  },
  {
    name: 'forecasts',
    kind: 'forecasts',
    prepare: ({ node, hangs }) =>
      ofA(node, 3_000, hangs, index => `${index % 60} ${index % 24} * * *`),
  },
  { name: 'tries', kind: 'tries' },
  { name: 'wrong keys', kind: 'wrong keys' },
  { name: 'large bodies', kind: 'large bodies' },
  {
    name: '20,000 at one second',
    prepare: ({ node, answers, schedules }) =>
      ofA(
        node,
        schedules,
        index => answers(index % 100),
        () => '*/20 * * * * *',
      ),
  },
];

function ofA(
  node: Punctual,
  count: number,
  url: (index: number) => string,
  interval: (index: number) => string,
): Promise<number> {
  return createSchedules(node.url, { count, group: 'a', interval, url });
}

/** @returns how often each status was answered */
export async function runAbuse(abuse: Abuse, world: Abused, seconds: number): Promise<Statuses> {
  if (abuse.kind === undefined) {
    await pause(seconds * 1_000);
    return {};
  }
  const options: AbuserOptions = {
    base: world.node.url,
    kind: abuse.kind,
    credentials: CREDENTIALS,
    seconds,
    hangingUrl: world.hangs(),
    ids: abuse.kind === 'triggers' ? await idsOf(world.node) : [],
  };
  return messageOf<Statuses>(startScript('abuser.ts', options));
}

async function idsOf(node: Punctual): Promise<string[]> {
  const response = await fetch(`${node.url}/v1/schedule?limit=50`, { headers: CREDENTIALS });
  const { items } = (await response.json()) as { items: { id: string }[] };
  return items.map(({ id }) => id);
}
