import type { Command } from 'commander';
import { examine } from '../doctor.ts';
import { print } from './output.ts';

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Look at settings, store, disk, clock, time zones, names and keys; exits with 1 where there is a problem.',
    )
    .option('--json', 'print one JSON array')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine(process.env);
      const lines = findings.map(
        ({ check, state, sentence }) => `${state.padEnd(7)}  ${check}: ${sentence}`,
      );
      print(json === true, findings, lines);
      if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1;
    });
}
