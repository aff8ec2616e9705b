import type { Command } from 'commander';
import { readConfig, SETTINGS, unknownSettings } from '../config.ts';
import { startService } from '../service.ts';
import { createLogger } from '../telemetry.ts';
import { commit, VERSION } from '../version.ts';
import { endBy, endStart, SETTINGS_HELP, untilSignal, written } from './output.ts';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the service: JSON logs and nothing else, private targets refused.')
    .addHelpText('after', SETTINGS_HELP)
    .option('--json', 'accepted; the logs are JSON anyway')
    .action(async () => {
      const config = readConfig(process.env);
      const log = createLogger(config.logLevel);
      log.info({ version: VERSION, commit: commit(), ...settingsSet() }, 'starting');
      for (const name of unknownSettings(process.env)) {
        log.warn({ name }, 'this is no setting of Punctual');
      }
      const service = await startService({ config, log, untilStopped: untilSignal });
      if (service === null) {
        log.info('stopped before there was a store');
        return endStart();
      }
      // Before it says that it listens: who reads that may stop it at once.
      const stopped = untilSignal();
      log.info({ url: service.url, tzdata: service.tzdata }, 'listening');
      const signal = await stopped;
      log.info('stopping: requests in flight may finish');
      await service.stop();
      log.info('stopped');
      if (service.isHeldUp) {
        await written(log);
        endBy(signal);
      }
    });
}

/** Settings that carry a password, or are one, are named and not told. */
const SECRET = /KEY|SECRET|DATABASE_URL/;

/** Those that differ from their defaults. */
function settingsSet(): { settings: Record<string, string> } {
  const names = Object.keys(SETTINGS).filter(name => process.env[name]);
  const told = names.map(name => [name, SECRET.test(name) ? 'set' : process.env[name]!]);
  return { settings: Object.fromEntries(told) };
}
