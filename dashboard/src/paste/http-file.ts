import { fieldsFrom, newReading, type RequestResult } from './request-fields.ts';

/**
 * The first request of an HTTP file, as editors and proxies write them: a line with verb and url, headers, an empty line, the
 * body up to `###`. A line `GET /path HTTP/1.1` takes its host from the header Host. Never throws.
 */
export function readHttpFile(text: string): RequestResult {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const start = lines.findIndex(line => line.trim() !== '' && !/^\s*(#|\/\/|@\w+\s*=)/.test(line));
  const request = REQUEST_LINE.exec(lines[start] ?? '');
  if (request === null) return { problem: 'It has no line with a verb and a url.' };
  const end = lines.findIndex((line, index) => index > start && line.startsWith('###'));
  const [, verb, first = ''] = request;
  const { url, headers, body } = partsOf(
    first,
    lines.slice(start + 1, end === -1 ? undefined : end),
  );
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
  if (url.startsWith('/') && host === undefined) return { problem: 'Its url has no host.' };
  const reading = newReading({
    url: url.startsWith('/') ? `https://${host}${url}` : url,
    verb: verb ?? 'GET',
    headers: headers.filter(([name]) => !(url.startsWith('/') && name.toLowerCase() === 'host')),
    data: body === '' ? [] : [body],
    isFormByDefault: false,
    notes:
      end === -1 || !lines.slice(end + 1).some(line => REQUEST_LINE.test(line)) ? [] : [FIRST_ONLY],
  });
  return fieldsFrom(reading);
}

export function isHttpFile(text: string): boolean {
  return /^\s*(?:(?:#|\/\/|@\w+\s*=)[^\n]*\n\s*)*(?:GET|POST|PUT|PATCH|DELETE|OPTIONS|HEAD) +\S+/.test(
    text,
  );
}

const REQUEST_LINE =
  /^\s*(GET|POST|PUT|PATCH|DELETE|OPTIONS|HEAD) +(\S+)(?: +HTTP\/\d(?:\.\d)?)?\s*$/;
const FIRST_ONLY = 'Only the first request of the file is taken.';

function partsOf(first: string, lines: string[]) {
  let url = first;
  const headers: [string, string][] = [];
  let at = 0;
  // A query may go on over several lines.
  for (; /^\s+[?&]/.test(lines[at] ?? ''); at += 1) url += lines[at]!.trim();
  for (; at < lines.length && lines[at]!.trim() !== ''; at += 1) {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(lines[at]!) ?? [];
    if (name !== undefined) headers.push([name, value!]);
  }
  return {
    url,
    headers,
    body: lines
      .slice(at + 1)
      .join('\n')
      .trim(),
  };
}
