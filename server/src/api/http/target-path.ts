/**
 * The path that the router is to look up for a request target (RFC 9112, 3.2).
 *
 * The router decodes percent signs, so `/%761/schedule` is `/v1/schedule`, and it answers by itself
 * what it cannot decode. Such a target, and anything else that is no path, becomes a path where
 * nothing is: below `/v1` if its first segment says so, so that authentication comes first there.
 */
export function lookupPath(target: string): string {
  if (PLAIN.test(target) && !hasSlashAtEnd(target)) return target;
  const path = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const end = path.search(/[?#]/);
  const name = end === -1 ? path : path.slice(0, end);
  const isPath = name.startsWith('/') && !hasSlashAtEnd(name);
  if (isPath && path[end] !== '#' && decoded(name) !== null) return path;
  return decoded(name.split('/', 2)[1] ?? '') === 'v1' ? '/v1/-' : '/-';
}

/** Paths are exact, whatever serves them. */
function hasSlashAtEnd(path: string): boolean {
  return path.length > 1 && path.endsWith('/');
}

/** Most targets: nothing to decode, and nothing to cut off. */
const PLAIN = /^\/[^?#%]*$/;

/** Of the absolute form, which a server must accept though only proxies are sent it. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

function decoded(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
