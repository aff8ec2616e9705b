import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { hashApiKey } from '../domain/access/credential.ts';
import { writeSecretFile } from '../secret-keys.ts';
import { type Service, startService } from '../service.ts';
import type { Store } from '../store/contract/store.ts';
import type { Database } from '../store/open.ts';
import { createLogger } from '../telemetry/telemetry.ts';
import { createClient } from './client.ts';
import { firingLine } from './firing-line.ts';
import { endBy, endStart, print, SETTINGS_HELP, untilSignal, written } from './output.ts';

export function devCommand(program: Command): void {
  program
    .command('dev')
    .description('Try it out: a client is made, private targets are open, /echo answers.')
    .addHelpText('after', SETTINGS_HELP)
    .option('--json', 'print url and credentials as one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      const config = readConfig(process.env, {
        PUNCTUAL_ALLOW_TARGETS: '*',
        // What goes wrong with a firing is told by its line.
        PUNCTUAL_LOG_LEVEL: 'error',
      });
      const log = createLogger(config.logLevel);
      const service = await startService({
        config,
        log,
        echo: true,
        makesSecretKey: true,
        untilStopped: untilSignal,
        ...(json !== true && {
          observe: (request, result) => process.stdout.write(`${firingLine(request, result)}\n`),
        }),
      });
      if (service === null) return endStart();
      const credentials = await credentialsOf(service, config);
      // Before it says that it is up: who reads that may stop it at once.
      const stopped = untilSignal();
      print(
        json === true,
        { url: service.url, ...credentials },
        welcome(service.url, credentials, config.database, await signInUrl(service, credentials)),
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

/** What stands in the settings, or the client of `dev`. */
async function credentialsOf({ store, stop }: Service, config: Config): Promise<Credentials> {
  const file = join(folderOf(config.database), 'dev-credentials.json');
  try {
    return config.credentials ?? (await devCredentials(store, file));
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The client of `dev`, the same at each start: only hashes of keys are in the store. */
async function devCredentials(store: Store, file: string): Promise<Credentials> {
  if (existsSync(file)) {
    const { clientId, apiKey } = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
    const caller = await store.clients.findCaller(hashApiKey(String(apiKey)));
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
  const caller = await service.store.clients.findCaller(hashApiKey(apiKey));
  return caller && service.signInUrl(caller);
}

function welcome(
  url: string,
  { clientId, apiKey }: Credentials,
  database: Database,
  dashboard: string | null,
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
