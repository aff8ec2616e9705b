import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { PUBLISHED_FOR_MS } from '../domain/access/issuer-keys.ts';
import { PunctualError } from '../domain/errors.ts';
import { iso } from '../domain/iso.ts';
import { readSecretKeys } from '../secret-keys.ts';
import { rotateIssuer } from '../store/issuer.ts';
import { print } from './output.ts';
import { nowOf, withStore } from './tool.ts';

export function issuerCommand(program: Command): void {
  program
    .command('issuer')
    .description(
      'The key that signs the tokens of oidc destinations. Works beside a running service.',
    )
    .command('rotate')
    .description(
      'Make another key. It stands in the JWKS for an hour before it signs, the old one for 7 days after.',
    )
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      if (readSecretKeys(readConfig(process.env)).length === 0) {
        const sentence =
          'Set PUNCTUAL_SECRET_KEY or PUNCTUAL_SECRET_KEY_FILE to keep the key with.';
        throw new PunctualError('setting_invalid', sentence);
      }
      await withStore(async store => {
        const [key, ...replaced] = await rotateIssuer(store.installation, await nowOf(store));
        const replacedAt = replaced[0]?.replacedAt;
        if (replacedAt === undefined) {
          print(json === true, { kid: key.kid }, [
            `Tokens are signed with the key ${key.kid} from now on. There was none before.`,
          ]);
          return;
        }
        const signsAt = iso(replacedAt);
        const until = iso(replacedAt + PUBLISHED_FOR_MS);
        print(json === true, { kid: key.kid, signsAt, oldPublishedUntil: until }, [
          `The key ${key.kid} is published now, and signs tokens from ${signsAt} on.`,
          `The old key is published until ${until}.`,
        ]);
      });
    });
}
