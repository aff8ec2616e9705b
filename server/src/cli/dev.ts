import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { hashApiKey } from '../domain/credential.ts';
import { startService } from '../service.ts';
import type { Store } from '../store/store.ts';
import { createLogger } from '../telemetry.ts';
import { createClient } from './client.ts';
import { print, untilSignal } from './output.ts';

export function devCommand(program: Command): void {
  program
    .command('dev')
    .description('Try it out: a client is made, private targets are open, /echo answers.')
    .option('--json', 'print url and credentials as one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      const config = readConfig(process.env, {
        PUNCTUAL_ALLOW_TARGETS: '*',
        PUNCTUAL_LOG_LEVEL: 'warn',
      });
      const log = createLogger(config.logLevel);
      const service = await startService({ config, log, echo: true });
      const file = join(dirname(config.database.path), 'dev-credentials.json');
      const credentials = config.credentials ?? (await devCredentials(service.store, file));
      print(
        json === true,
        { url: service.url, ...credentials },
        welcome(service.url, credentials, config.database.path),
      );
      await untilSignal();
      await service.stop();
    });
}

interface Credentials {
  clientId: string;
  apiKey: string;
}

/** The client of `dev`, the same at each start: only hashes of keys are in the store. */
async function devCredentials(store: Store, file: string): Promise<Credentials> {
  if (existsSync(file)) {
    const { clientId, apiKey } = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
    const caller = await store.clients.findCaller(hashApiKey(String(apiKey)));
    if (caller?.clientId === clientId) return { clientId, apiKey };
  }
  const { clientId, apiKey } = await createClient(store, 'dev');
  writeFileSync(file, `${JSON.stringify({ clientId, apiKey }, null, 2)}\n`, { mode: 0o600 });
  return { clientId, apiKey };
}

function welcome(url: string, { clientId, apiKey }: Credentials, path: string): string[] {
  return [
    `Punctual listens on ${url} and keeps its data in ${path}.`,
    '',
    `  ClientId: ${clientId}`,
    `  ApiKey:   ${apiKey}`,
    '',
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
    'Stop with Ctrl+C.',
  ];
}
