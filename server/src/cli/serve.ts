import type { Command } from 'commander';
import { ignoredProxies, readConfig, unknownSettings } from '../config.ts';
import { startService } from '../service.ts';
import { createLogger } from '../telemetry/telemetry.ts';
import { commit, VERSION } from '../version.ts';
import { endBy, endStart, SETTINGS_HELP, untilSignal, written } from './output.ts';
import { shownSettings } from './shown-settings.ts';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the service: JSON logs and nothing else, private targets refused.')
    .addHelpText('after', SETTINGS_HELP)
    .option('--json', 'accepted; the logs are JSON anyway')
    .action(async () => {
      const config = readConfig(process.env);
      const log = createLogger(config.logLevel);
      const settings = shownSettings(process.env);
      log.info({ version: VERSION, commit: commit(), node: process.version, settings }, 'starting');
      for (const name of unknownSettings(process.env)) {
        log.warn({ name }, 'this is no setting of Punctual');
      }
      const proxies = ignoredProxies(process.env);
      if (proxies.length > 0)
        log.warn({ names: proxies }, 'no proxy is used: calls go out directly');
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
