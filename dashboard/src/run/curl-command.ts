import type { SentRequest } from '@punctual/client';

/**
 * A request as one command of a POSIX shell.
 *
 * @param without headers that are left out: their values are not known
 */
export function curlCommand(
  { method, url, headers, body }: SentRequest,
  without: readonly string[] = [],
): string {
  const kept = Object.entries(headers).filter(([name]) => !without.includes(name));
  return [
    `curl ${methodOf(method, body)}${quoted(url)}`,
    ...kept.map(([name, value]) => `  -H ${quoted(headerLine(name, value))}`),
    ...(body === undefined ? [] : [`  --data-raw ${quoted(body)}`]),
  ].join(' \\\n');
}

function methodOf(method: string, body: string | undefined): string {
  if (method === 'HEAD') return '--head ';
  return method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `;
}

/** An empty value needs a semicolon (https://curl.se/docs/manpage.html#-H). */
function headerLine(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}

/** Within single quotes a shell takes each character as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
