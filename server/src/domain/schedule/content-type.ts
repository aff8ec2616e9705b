/** Content types: the form that a body has, by its header or by itself. */

export const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const TEXT = 'text/plain; charset=utf-8';

/** The Content-Type of a raw body where the caller names none. */
export function contentTypeOf(body: string): string {
  return isJson(body) ? JSON_TYPE : TEXT;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && essenceOf(contentType) === FORM;
}

/** JSON, or a type that is written in it, such as `application/cloudevents+json`. */
export function isJsonType(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return essence === JSON_TYPE || essence.endsWith('+json');
}

/** The Content-Type that the caller names. */
export function contentTypeIn(headers: Record<string, string> = {}): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

/** Without parameters, in lower case. */
function essenceOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}
