import { type Expression, type Property, parseExpressionAt, type SpreadElement } from 'acorn';
import { fieldsFrom, newReading, type RequestResult } from './request-fields.ts';

/**
 * A call of fetch() as the fields of a schedule, as browsers copy it and as people write it. It is read, and never run: values
 * are literals, objects, lists, texts put together, and `JSON.stringify`, `URLSearchParams`, `Headers`, `btoa` of these.
 * Never throws.
 */
export function readFetch(text: string): RequestResult {
  const source = text
    .trim()
    .replace(/^(?:(?:const|let|var)\s+[\w$]+\s*=\s*)?(?:return\s+)?(?:await\s+)?/, '');
  try {
    const call = parseExpressionAt(source, 0, { ecmaVersion: 'latest' });
    return readCall(call);
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    return { problem: 'It is no complete call of fetch().' };
  }
}

class Unreadable extends Error {}

function readCall(call: Expression): RequestResult {
  // `fetch(…).then(…)`: what happens to the answer does not matter.
  if (call.type === 'CallExpression' && call.callee.type === 'MemberExpression') {
    if (call.callee.object.type !== 'Super') return readCall(call.callee.object);
  }
  const isFetch =
    call.type === 'CallExpression' &&
    (nameOf(call.callee) === 'fetch' || /\.fetch$/.test(nameOf(call.callee)));
  if (!isFetch) return { problem: 'It does not call fetch().' };
  const [url, init] = call.arguments.map(literalOf);
  const options = isRecord(init) ? init : {};
  const { method = 'GET', headers = {}, body } = options;
  const reading = newReading({
    url: textOf(url, 'The url'),
    verb: textOf(method, 'The method'),
    headers: pairsOf(headers),
    data: body === undefined || body === null ? [] : [bodyText(body)],
    isFormByDefault: false,
  });
  if (body instanceof URLSearchParams) reading.isFormByDefault = true;
  if (options.redirect === 'follow') {
    reading.notes.push('Redirects are not followed.');
  }
  if (options.credentials === 'include') {
    reading.notes.push(
      'Cookies of the browser are not in the call; add a header Cookie if it needs them.',
    );
  }
  return fieldsFrom(reading);
}

function bodyText(body: unknown): string {
  return body instanceof URLSearchParams ? body.toString() : textOf(body, 'The body');
}

function pairsOf(headers: unknown): [string, string][] {
  if (Array.isArray(headers)) return headers.map(pair => [String(pair[0]), String(pair[1])]);
  if (!isRecord(headers)) throw new Unreadable('The headers are no object.');
  return Object.entries(headers).map(([name, value]) => [
    name,
    textOf(value, `The header ${name}`),
  ]);
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Unreadable(`${name} is no text that stands in the call.`);
}

function literalOf(node: Expression | SpreadElement): unknown {
  switch (node.type) {
    case 'Literal':
      if (node.regex || node.bigint) break;
      return node.value;
    case 'TemplateLiteral': {
      const values = node.expressions.map(each => String(literalOf(each)));
      return node.quasis
        .map(({ value }, index) => `${value.cooked ?? ''}${values[index] ?? ''}`)
        .join('');
    }
    case 'ObjectExpression':
      return Object.fromEntries(node.properties.map(entryOf));
    case 'ArrayExpression':
      return node.elements.map(each => (each === null ? null : literalOf(each)));
    case 'BinaryExpression':
      if (node.operator === '+' && node.left.type !== 'PrivateIdentifier') {
        return `${literalOf(node.left)}${literalOf(node.right)}`;
      }
      break;
    case 'UnaryExpression':
      if (node.operator === '-') return -Number(literalOf(node.argument));
      break;
    case 'CallExpression':
    case 'NewExpression':
      if (node.callee.type !== 'Super')
        return calledValue(nameOf(node.callee), node.arguments.map(literalOf));
      break;
    case 'Identifier':
      if (node.name === 'undefined') return undefined;
      break;
    default:
  }
  throw new Unreadable('It holds more than texts, numbers and objects: write its values out.');
}

function entryOf(property: Property | SpreadElement): [string, unknown] {
  if (property.type !== 'Property' || property.kind !== 'init' || property.method) {
    throw new Unreadable('It holds more than texts, numbers and objects: write its values out.');
  }
  const { key, computed, value } = property;
  const name =
    !computed && key.type === 'Identifier' ? key.name : String(literalOf(key as Expression));
  return [name, literalOf(value)];
}

function calledValue(name: string, [first, , space]: unknown[]): unknown {
  switch (name) {
    case 'JSON.stringify':
      return JSON.stringify(first, null, space as number | undefined);
    case 'URLSearchParams':
      return new URLSearchParams(first as Record<string, string>);
    case 'Headers':
    case 'URL':
      return first ?? {};
    case 'btoa':
      return btoa(String(first));
    case 'encodeURIComponent':
      return encodeURIComponent(String(first));
    default:
      throw new Unreadable(`The value of ${name}() is not known here: write it out.`);
  }
}

/** `JSON.stringify` for a member of a name, else the name; '' for anything else. */
function nameOf(callee: unknown): string {
  const node = callee as Expression;
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return '';
  return `${nameOf(node.object)}.${node.property.name}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
