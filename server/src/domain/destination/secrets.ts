import type { DestinationSecrets } from './destination.ts';

/** The secrets of a destination as the text that is encrypted and stored. */

/** @returns undefined where there are none */
export function secretsText(secrets: DestinationSecrets): string | undefined {
  return Object.keys(secrets).length === 0 ? undefined : JSON.stringify(secrets);
}

export function secretsFrom(text: string | undefined): DestinationSecrets {
  return text === undefined ? {} : (JSON.parse(text) as DestinationSecrets);
}
