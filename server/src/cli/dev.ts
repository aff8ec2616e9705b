import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { hashApiKey } from '../domain/access/credential.ts';
import { PunctualError } from '../domain/errors.ts';
import { writeSecretFile } from '../secret-keys.ts';
import { type Service, startService } from '../service.ts';
import type { Store } from '../store/contract/store.ts';
import type { Database } from '../store/open.ts';
import { createLogger } from '../telemetry/telemetry.ts';
import { createClient } from './client.ts';
import { firingLine } from './firing-line.ts';
import { endBy, endStart, print, SETTINGS_HELP, untilSignal, written } from './output.ts';
import { seed } from './seed.ts';
import { nowOf } from './tool.ts';

export function devCommand(program: Command): void {
  program
    .command('dev')
    .description('Try it out: a client is made, private targets are open, /echo answers.')
    .addHelpText('after', SETTINGS_HELP)
    .option('--json', 'print url and credentials as one JSON object')
    .option('--seed', 'make a healthy, a flaky and a hanging schedule with a day of history')
    .action(async ({ json, seed: isSeeded = false }: { json?: boolean; seed?: boolean }) => {
      const config = readConfig(process.env, {
        PUNCTUAL_ALLOW_TARGETS: '*',
        // A run that fails has a line of its own.
        PUNCTUAL_LOG_LEVEL: 'error',
      });
      if (isSeeded) refuseAnyPort(config);
      const log = createLogger(config.logLevel);
      let credentials: Credentials | undefined;
      const service = await startService({
        config,
        log,
        echo: true,
        makesSecretKey: true,
        untilStopped: untilSignal,
        beforeEngine: async store => {
          credentials = config.credentials ?? (await devCredentials(store, config));
          if (isSeeded) await seedFor(credentials, store, config);
        },
        ...(json !== true && {
          observe: (request, result) => process.stdout.write(`${firingLine(request, result)}\n`),
        }),
      });
      if (service === null) return endStart();
      // Before it says that it is up: who reads that may stop it at once.
      const stopped = untilSignal();
      print(
        json === true,
        { url: service.url, ...credentials! },
        welcome(service.url, credentials!, config.database, {
          dashboard: await signInUrl(service, credentials!),
          isSeeded,
        }),
      );
      const signal = await stopped;
      await service.stop();
      if (service.isHeldUp) {
        await written(log);
        endBy(signal);
      }
    });
}

interface Credentials {
  clientId: string;
  apiKey: string;
}

/** @throws PunctualError `setting_invalid` */
function refuseAnyPort({ port }: Config): void {
  if (port !== 0) return;
  throw new PunctualError(
    'setting_invalid',
    'PORT: 0 does not go with --seed, whose schedules call this port at the next start too.',
  );
}

async function seedFor({ apiKey }: Credentials, store: Store, config: Config): Promise<void> {
  const { clientRowId } = (await store.keys.findCaller(hashApiKey(apiKey)))!;
  const { host, port, allowTargets: allow } = config;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  await seed({ store, clientRowId, origin, allow, now: await nowOf(store) });
}

/** The client of `dev`, the same at each start: only hashes of keys are in the store. */
async function devCredentials(store: Store, { database }: Config): Promise<Credentials> {
  const file = join(folderOf(database), 'dev-credentials.json');
  if (existsSync(file)) {
    const { clientId, apiKey } = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
    const caller = await store.keys.findCaller(hashApiKey(String(apiKey)));
    if (caller?.clientId === clientId) return { clientId, apiKey };
  }
  const { clientId, apiKey } = await createClient(store, 'dev');
  writeSecretFile(file, `${JSON.stringify({ clientId, apiKey }, null, 2)}\n`);
  return { clientId, apiKey };
}

/** The credentials stand beside the data where that is a file. */
function folderOf(database: Database): string {
  return database.kind === 'sqlite' ? dirname(database.path) : './data';
}

async function signInUrl(service: Service, { apiKey }: Credentials): Promise<string | null> {
  const caller = await service.store.keys.findCaller(hashApiKey(apiKey));
  return caller && service.signInUrl(caller);
}

const SEEDED =
  'Three samples fire: healthy, flaky and hanging. --seed made up their history of the day before.';

function welcome(
  url: string,
  { clientId, apiKey }: Credentials,
  database: Database,
  { dashboard, isSeeded }: { dashboard: string | null; isSeeded: boolean },
): string[] {
  const place = database.kind === 'sqlite' ? database.path : 'PostgreSQL';
  return [
    `Punctual listens on ${url} and keeps its data in ${place}.`,
    '',
    `  ClientId: ${clientId}`,
    `  ApiKey:   ${apiKey}`,
    '',
    ...(dashboard === null
      ? ['There is no dashboard: it is not built ("npm run build" builds it).', '']
      : [`Dashboard (this link signs in once, within 10 minutes): ${dashboard}`, '']),
    ...(isSeeded ? [SEEDED, ''] : []),
    'Paste this: it makes a schedule that calls the built-in /echo every five seconds.',
    '',
    `  curl -s ${url}/v1/schedule \\`,
    `    -H 'ClientId: ${clientId}' -H 'ApiKey: ${apiKey}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"url":"${url}/echo","verb":"POST","interval":"*/5 * * * * *","timezone":"UTC","data":{"hello":"world"}}'`,
    '',
    'A few seconds later, its runs:',
    '',
    `  curl -s ${url}/v1/run -H 'ClientId: ${clientId}' -H 'ApiKey: ${apiKey}'`,
    '',
    'Each firing is a line below: when it started (UTC), method, url, answer, time, lateness. Stop with Ctrl+C.',
  ];
}
