import { SETTINGS } from '../config.ts';

/** By their names: a setting that is added later and holds a secret is none that is shown. */
const SECRET = /(?:KEY|SECRET|TOKEN|PASSWORD)S?$/;
const URL = /_URL$/;

/**
 * Each setting as it holds, for the log: of a secret only that it is set, of a url neither user, password nor
 * query. Those without a value are left out.
 */
export function shownSettings(
  environment: Record<string, string | undefined>,
): Record<string, string> {
  const shown = Object.entries(SETTINGS).map(([name, { fallback }]) => {
    const value = environment[name] || fallback;
    return [name, value === '' ? '' : shownAs(name, value)];
  });
  return Object.fromEntries(shown.filter(([, value]) => value !== ''));
}

function shownAs(name: string, value: string): string {
  if (SECRET.test(name)) return 'set';
  return URL.test(name) ? withoutSecrets(value) : value;
}

/** A password may hold an @ that is not escaped: what stands before the last one is left out. */
function withoutSecrets(url: string): string {
  const [, scheme = '', rest = ''] = /^(\w+:(?:\/\/)?)(.*)$/s.exec(url) ?? [];
  return scheme + rest.slice(rest.lastIndexOf('@') + 1).split(/[?#]/, 1)[0];
}
