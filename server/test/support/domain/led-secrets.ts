import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DestinationParts } from '../../../src/domain/destination/destination.ts';
import type { DestinationBody } from '../../../src/domain/destination/draft/destination-draft.ts';

/**
 * Writers of destinations and schedules, one after the other, and a model of who named which hosts together with which secret.
 * No sequence of them may send a secret to a host, over http, to a token endpoint or under authorities that nobody has named
 * together with it.
 */

/** The urls of schedules. */
export const URLS = [
  'https://api.example.com/',
  'https://api.example.com:8443/',
  'https://a.example.com/x',
  'http://api.example.com/',
  'https://evil.example/',
  'http://evil.example/',
] as const;
type Url = (typeof URLS)[number];

/** Hosts, and the urls that whoever writes them means. */
const MEANT: Record<string, readonly Url[]> = {
  'api.example.com': [
    'https://api.example.com/',
    'https://api.example.com:8443/',
    'http://api.example.com/',
  ],
  'API.example.com:443': ['https://api.example.com/'],
  'api.example.com:8443': ['https://api.example.com:8443/'],
  '*.example.com': [
    'https://api.example.com/',
    'https://api.example.com:8443/',
    'http://api.example.com/',
    'https://a.example.com/x',
  ],
  'evil.example': ['https://evil.example/', 'http://evil.example/'],
  '*.evil.example': [],
};

export interface ScheduleFields {
  url?: string;
  headers?: Record<string, string> | null;
  destination?: string | null;
}

/** Whatever the steps are taken in: drafts in memory, or a service. Each call tells whether it was accepted. */
export interface LedWorld {
  put(name: string, body: DestinationBody): Promise<boolean>;
  remove(name: string): Promise<boolean>;
  create(fields: ScheduleFields): Promise<boolean>;
  /** @param which of the schedules, counted from 0 in a circle; nothing where there is none */
  patch(which: number, fields: ScheduleFields): Promise<boolean>;
  destinations(): Promise<Map<string, DestinationParts>>;
  schedules(): Promise<{ url: string; headers?: Record<string, string>; destination?: string }[]>;
}

/** Mostly one of everything, so that a few steps meet. */
const name = fc.constantFrom('a', 'a', 'a', 'b');
const hosts = fc.oneof(
  fc.constant<string[]>(['api.example.com']),
  fc.subarray(Object.keys(MEANT), { minLength: 1, maxLength: 3 }),
);
const auth = fc.record({
  type: fc.constantFrom('none', 'bearer', 'bearer', 'basic', 'headers', 'oauth2'),
  tokenUrl: fc.constantFrom('https://auth.example.com/t', 'https://evil.example/t'),
  isSent: fc.boolean(),
});
const fields = fc.record(
  {
    url: fc.oneof(
      fc.constantFrom<string>('https://api.example.com/', 'http://api.example.com/'),
      fc.constantFrom<string>(...URLS),
    ),
    headers: fc.constantFrom(null, { Authorization: 'mine' }, { 'X-Key': 'mine' }),
    destination: fc.option(name, { freq: 4 }),
  },
  { requiredKeys: [] },
);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      name,
      hosts,
      auth,
      allowHttp: fc.constantFrom(undefined, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), fields }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('patch' as const), which: fc.nat(3), fields }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

export const ledSteps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 3, maxLength: 25 });

/** A PUT that had the secret in it. */
interface Naming {
  hosts: string[];
  allowHttp: boolean;
  tokenUrl: string | undefined;
}

/** @returns how many of its calls were accepted, and how many secrets would have been sent */
export async function assertNothingLed(
  world: LedWorld,
  steps: readonly Step[],
): Promise<{ accepted: number; sent: number }> {
  const named = new Map<string, Naming[]>();
  let [accepted, sent] = [0, 0];
  for (const [index, each] of steps.entries()) {
    const isAccepted = await take(world, each, `secret${index}`, named);
    if (isAccepted) accepted += 1;
    sent += await assertSendsAsNamed(world, named);
  }
  return { accepted, sent };
}

function take(world: LedWorld, each: Step, secret: string, named: Map<string, Naming[]>) {
  if (each.kind === 'remove') return world.remove(each.name);
  if (each.kind === 'create') return world.create(each.fields);
  if (each.kind === 'patch') return world.patch(each.which, each.fields);
  return put(world, each, secret, named);
}

async function put(
  world: LedWorld,
  { name: destination, hosts: given, auth: by, allowHttp }: Step & { kind: 'put' },
  secret: string,
  named: Map<string, Naming[]>,
): Promise<boolean> {
  const body = {
    hosts: given,
    ...(allowHttp !== undefined && { allowHttp }),
    ...(by.type !== 'none' && { auth: authOf(by, secret) }),
  } as DestinationBody;
  if (!(await world.put(destination, body))) return false;
  if (by.isSent) {
    const tokenUrl = by.type === 'oauth2' ? by.tokenUrl : undefined;
    const naming = { hosts: given, allowHttp: allowHttp ?? false, tokenUrl };
    named.set(secret, [...(named.get(secret) ?? []), naming]);
  }
  return true;
}

function authOf({ type, tokenUrl, isSent }: (Step & { kind: 'put' })['auth'], secret: string) {
  switch (type) {
    case 'basic':
      return { type, username: 'me', ...(isSent && { password: secret }) };
    case 'headers':
      return { type, ...(isSent && { headers: { 'X-Key': secret } }) };
    case 'oauth2':
      return { type, tokenUrl, clientId: 'me', ...(isSent && { clientSecret: secret }) };
    default:
      return { type, ...(isSent && { token: secret }) };
  }
}

/** Each schedule fits its destination, and each secret goes where one of its writers has named. */
async function assertSendsAsNamed(
  world: LedWorld,
  named: ReadonlyMap<string, Naming[]>,
): Promise<number> {
  const destinations = await world.destinations();
  let sent = 0;
  for (const { url, headers = {}, destination } of await world.schedules()) {
    if (destination === undefined) continue;
    const { config, secrets } = destinations.get(destination)!;
    const own = Object.keys(headers).map(header => header.toLowerCase());
    const isProtected = config.auth !== undefined;
    assert.ok(isMeant(url, config.hosts), `${url} lies outside of ${config.hosts}`);
    assert.ok(!isProtected || config.allowHttp || url.startsWith('https:'), `${url} is open`);
    const set = config.auth?.type === 'headers' ? 'x-key' : 'authorization';
    assert.ok(!isProtected || !own.includes(set), `both set ${set}`);
    for (const secret of textsOf(secrets)) {
      const tokenUrl = config.auth?.type === 'oauth2' ? config.auth.tokenUrl : undefined;
      const isNamed = (named.get(secret) ?? []).some(
        naming =>
          isMeant(url, naming.hosts) &&
          (naming.allowHttp || url.startsWith('https:')) &&
          naming.tokenUrl === tokenUrl,
      );
      assert.ok(isNamed, `${secret} would be led to ${url}, by ${tokenUrl ?? 'itself'}`);
      sent += 1;
    }
  }
  return sent;
}

function isMeant(url: string, given: readonly string[]): boolean {
  return given.some(host => (MEANT[host] as readonly string[]).includes(url));
}

function textsOf({ headers = {}, ...others }: DestinationParts['secrets']): string[] {
  return [...Object.values(others), ...Object.values(headers)];
}
