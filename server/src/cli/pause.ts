import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { iso } from '../domain/iso.ts';
import type { Store } from '../store/contract/store.ts';
import { print } from './output.ts';
import { withPlainStore } from './tool.ts';

export function pauseCommands(program: Command): void {
  program
    .command('pause')
    .description('Let nothing fire, on all nodes, within 5 seconds. The interface goes on working.')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withPlainStore(async store => {
        const since = iso(await store.installation.pause(await nowOf(store)));
        print(json === true, { pausedSince: since }, [
          `Paused since ${since}: requests in flight end, and nothing else starts.`,
          'At "punctual resume", the catchUpSeconds of each schedule decide about the times that passed.',
        ]);
      }),
    );
  program
    .command('resume')
    .description('Let schedules fire again, on all nodes, within 5 seconds.')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withPlainStore(async store => {
        const resumed = await store.installation.resume(await nowOf(store));
        const line = resumed ? 'Resumed: schedules fire again.' : 'It was not paused.';
        print(json === true, { resumed }, [line]);
      }),
    );
}

/** Nodes that share a store go by its clock. */
async function nowOf({ cluster: shared }: Store): Promise<number> {
  return shared === null ? systemClock.now() : shared.now();
}
