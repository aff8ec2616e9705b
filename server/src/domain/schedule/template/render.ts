import { contentTypeIn, isForm, JSON_TYPE } from '../content-type.ts';
import type { Delivery, Schedule } from '../schedule.ts';
import { isTemplateName, type TemplateFacts, templateValue } from './names.ts';
import { mayHaveTemplate, parseTemplate, replaceStrings } from './parse.ts';

/**
 * Renders templates: each name gives way to its value, made safe for its place. So no value changes the structure of a url, a
 * header or a body.
 */

/** How a value is made safe for its place. */
type ToSafe = (value: string) => string;

/** The parts of a request that may have templates. */
type Parts = Pick<Schedule, 'url' | 'headers' | 'data' | 'delivery'>;

/** The parts with their templates filled in; all else of what is given stays. */
export function rendered<Given extends Parts>(given: Given, facts: TemplateFacts): Given {
  const { url, data, delivery } = given;
  const headers = given.headers && renderValues(given.headers, facts, withoutControls);
  return {
    ...given,
    url: renderText(url, facts, percentEncoded),
    ...(headers && { headers }),
    ...(data && { data: renderValues(data, facts, asItIs) }),
    ...(delivery && { delivery: renderDelivery(delivery, headers, facts) }),
  };
}

export function renderText(text: string, facts: TemplateFacts, toSafe: ToSafe): string {
  if (!mayHaveTemplate(text)) return text;
  let result = '';
  for (const piece of parseTemplate(text)) {
    if (typeof piece === 'string') result += piece;
    // Other names were refused when the schedule was written.
    else if (piece.name !== null && isTemplateName(piece.name)) {
      result += toSafe(templateValue(piece.name, facts));
    }
  }
  return result;
}

function renderValues(
  values: Record<string, string>,
  facts: TemplateFacts,
  toSafe: ToSafe,
): Record<string, string> {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([key, text]) => [key, renderText(text, facts, toSafe)]));
}

/**
 * `data` is escaped as a whole when it becomes JSON, a form or a query.
 *
 * @param headers with their templates filled in: one may make the Content-Type
 */
function renderDelivery(
  delivery: Delivery,
  headers: Record<string, string> | undefined,
  facts: TemplateFacts,
): Delivery {
  const { body, contentType } = delivery;
  if (body === undefined) return delivery;
  if (contentType === JSON_TYPE) {
    return { ...delivery, body: replaceStrings(body, text => renderText(text, facts, asItIs)) };
  }
  const toSafe = isForm(contentTypeIn(headers)) ? percentEncoded : asItIs;
  return { ...delivery, body: renderText(body, facts, toSafe) };
}

export function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

function withoutControls(value: string): string {
  return value.replace(CONTROLS, '');
}

function asItIs(value: string): string {
  return value;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it drops
const CONTROLS = /[\x00-\x1f\x7f]/g;
