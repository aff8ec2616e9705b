import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { quoted } from '../../domain/calendar/cron/interval-field.ts';
import { jsonPathOf } from './json-path.ts';

/**
 * One sentence for what the validator found: where, and what is asked for there.
 *
 * @param part which part of the request was judged, as Fastify names it
 */
export function validationMessage(error: FastifySchemaValidationError, part: string): string {
  const way = wayOf(error.instancePath);
  const subject = part === 'querystring' ? 'The query parameter ' : '';
  const { params, keyword } = error;
  if (keyword === 'required') {
    return `${subject}${jsonPathOf([...way, String(params.missingProperty)])} is required.`;
  }
  const path = `${subject}${jsonPathOf(way)}`;
  if (keyword === 'additionalProperties') {
    const inside = way.length === 0 ? '' : ` in ${path}`;
    return `There is no property ${quoted(String(params.additionalProperty))}${inside}.`;
  }
  if (keyword === 'enum' && way.at(-1) === 'status' && part === 'body') {
    return `${path} must be enabled or disabled; to delete a schedule, use DELETE.`;
  }
  return `${path} must ${demand(keyword, params)}.`;
}

function demand(keyword: string, params: Record<string, unknown>): string {
  const { limit } = params;
  switch (keyword) {
    case 'type':
      return `be ${[params.type].flat().map(article).join(' or ')}`;
    case 'enum':
      return `be ${(params.allowedValues as string[]).join(', ').replace(/, (?=\w+$)/, ' or ')}`;
    case 'const':
      return `be ${params.allowedValue}`;
    case 'minimum':
      return `be at least ${limit}`;
    case 'maximum':
      return `be at most ${limit}`;
    case 'maxLength':
      return `have at most ${limit} characters`;
    case 'minItems':
      return `have at least ${limit} ${limit === 1 ? 'item' : 'items'}`;
    case 'maxItems':
      return `have at most ${limit} items`;
    case 'maxProperties':
      return `have at most ${limit} properties`;
    default:
      return 'have another form';
  }
}

function article(type: unknown): string {
  switch (type) {
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'object':
    case 'array':
    case 'integer':
      return `an ${type}`;
    default:
      return `a ${type}`;
  }
}

/** The keys of a JSON pointer (RFC 6901). */
function wayOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
