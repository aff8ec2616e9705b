import { iso } from '../domain/iso.ts';
import type { OutboundRequest, SendResult } from '../outbound/send.ts';

/**
 * One request as `punctual dev` prints it: when it started (UTC), method, url, what came back, how long it took, and of a
 * firing's first attempt how late it was. A query is left out: it may hold a secret.
 */
export function firingLine(request: OutboundRequest, result: SendResult): string {
  const header = (name: string) => {
    const index = request.headers.findIndex((text, at) => at % 2 === 0 && text === name);
    return index === -1 ? undefined : request.headers[index + 1];
  };
  const [url] = request.url.split('?');
  const answer = result.outcome === 'response' ? String(result.responseStatus) : result.outcome;
  const parts = [iso(result.startedAt).slice(11, -1), request.method, url!, answer];
  parts.push(`${Math.round(result.durationMs)} ms`);
  const scheduledFor = header('Punctual-Scheduled-For');
  const attempt = header('Punctual-Attempt');
  if (scheduledFor === undefined) parts.push('(callback)');
  else if (attempt === '1') parts.push(`(${result.startedAt - Date.parse(scheduledFor)} ms late)`);
  else parts.push(`(attempt ${attempt})`);
  const why = result.error ?? result.unmet;
  if (why !== undefined) parts.push(why);
  return parts.join('  ');
}
