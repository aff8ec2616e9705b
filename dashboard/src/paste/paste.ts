import { type CrontabLine, isCrontab, readCrontab } from './crontab.ts';
import { readCurl } from './curl.ts';
import { isHttpFile, readHttpFile } from './http-file.ts';
import {
  fieldsFrom,
  newReading,
  type RequestFields,
  type RequestResult,
} from './request-fields.ts';
import { readWget } from './wget.ts';

/** The pasted text: one request, with its interval if it has one, or a whole crontab. */
export type Pasted = PastedRequest | { crontab: CrontabLine[] } | { problem: string };

export interface PastedRequest {
  fields: RequestFields;
  /** Of a line of a crontab. */
  interval?: string;
  timezone?: string;
  label?: string;
}

type Form = 'curl' | 'wget' | 'fetch' | 'crontab' | 'http' | 'url';

/** The form of a text by its beginning; null: none that is known. */
export function formOfPaste(text: string): Form | null {
  if (/^\s*\$?\s*curl\s/.test(text)) return 'curl';
  if (/^\s*\$?\s*wget\s/.test(text)) return 'wget';
  if (
    /^\s*(?:(?:const|let|var)\s+[\w$]+\s*=\s*)?(?:return\s+)?(?:await\s+)?(?:\w+\.)?fetch\s*\(/.test(
      text,
    )
  )
    return 'fetch';
  if (isHttpFile(text)) return 'http';
  if (isCrontab(text)) return 'crontab';
  return /^\s*https?:\/\/\S+\s*$/i.test(text) ? 'url' : null;
}

/** Reads any of them. Never throws: what cannot be read is a sentence. */
export async function readPaste(text: string): Promise<Pasted> {
  const form = formOfPaste(text);
  if (form === null) {
    return {
      problem:
        'It is no cURL or wget command, no fetch() call, no HTTP request, no url and no crontab.',
    };
  }
  return form === 'crontab' ? crontabOf(readCrontab(text)) : readRequest(form, text);
}

async function readRequest(form: Exclude<Form, 'crontab'>, text: string): Promise<RequestResult> {
  switch (form) {
    case 'curl':
      return readCurl(text);
    case 'wget':
      return readWget(text);
    case 'http':
      return readHttpFile(text);
    case 'url':
      return fieldsFrom(newReading({ url: text.trim() }));
    case 'fetch':
      return (await import('./fetch-call.ts')).readFetch(text);
  }
}

/** One line fills the form in like any other request. */
function crontabOf(lines: CrontabLine[]): Pasted {
  const [line] = lines;
  if (lines.length !== 1 || line === undefined) return { crontab: lines };
  const { problem, fields, interval, timezone, label } = line;
  if (fields === undefined) return { problem: problem! };
  return { fields, interval, label, ...(timezone !== null && { timezone }) };
}
