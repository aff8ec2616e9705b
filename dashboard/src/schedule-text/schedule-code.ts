import type { Schedule, ScheduleInput } from '@punctual/client';
import { quoted } from '../run/curl-command.ts';
import { HIDDEN_VALUE, isSecretName } from '../schedule/secret-names.ts';

/** A schedule as text that makes it again. With an external id, the text makes or replaces the one that has it. */

/** The input that makes such a schedule again: without the fields that the service gives. */
export function inputThatMakes(schedule: Schedule): ScheduleInput {
  const { id, createdAt, updatedAt, statusReason, status, integrations, label, ...rest } = schedule;
  return {
    ...(label !== '' && { label }),
    ...rest,
    ...(status === 'disabled' && { status }),
    ...(integrations && { integrations: integrations.map(({ id: _, ...each }) => each) }),
  };
}

/** The headers and payload fields that look like secrets, by their names. */
export function secretsOf({ headers = {}, data = {} }: ScheduleInput): string[] {
  return [...new Set([...Object.keys(headers), ...Object.keys(data)].filter(isSecretName))];
}

/** Whether the text may be copied: run with dots, it would replace stored values by them. */
export function isCopyable(input: ScheduleInput, isPlain: boolean): boolean {
  return isPlain || secretsOf(input).length === 0;
}

/** The input with dots in place of such values. */
export function withoutSecrets(input: ScheduleInput): ScheduleInput {
  const { headers, data } = input;
  return {
    ...input,
    ...(headers && { headers: masked(headers) }),
    ...(data && { data: masked(data) }),
  };
}

function masked(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isSecretName(name) ? HIDDEN_VALUE : value,
    ]),
  );
}

/** The request of the API that makes it, as one command of a POSIX shell. The shell fills in the credentials. */
export function asCurl(input: ScheduleInput, baseUrl: string): string {
  const { externalId } = input;
  const call =
    externalId === undefined
      ? `curl ${quoted(`${baseUrl}/v1/schedule`)}`
      : `curl -X PUT ${quoted(`${baseUrl}/v1/schedule/ext:${encodeURIComponent(externalId)}`)}`;
  return [
    call,
    '  -H "ClientId: $CLIENT_ID" -H "ApiKey: $API_KEY"',
    `  -H ${quoted('Content-Type: application/json')}`,
    `  --data-raw ${quoted(JSON.stringify(input, null, 2))}`,
  ].join(' \\\n');
}

/** A program that makes it with the client. The environment holds the credentials. */
export function asTypeScript(input: ScheduleInput, baseUrl: string): string {
  const { externalId } = input;
  const call =
    externalId === undefined ? 'createSchedule(' : `upsertSchedule(${text(externalId)}, `;
  return `import { PunctualClient } from '@punctual/client';

const client = new PunctualClient({
  baseUrl: ${literal(baseUrl)},
  clientId: process.env.CLIENT_ID!,
  apiKey: process.env.API_KEY!,
});

await client.${call}${literal(input)});
`;
}

/** A JSON value as a literal. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map(each => literal(each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${key(name)}: ${literal(each, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (lines.length === 0) return `${open}${close}`;
  return `${open}\n${lines.map(line => `${inner}${line},\n`).join('')}${indent}${close}`;
}

function key(name: string): string {
  // Written plainly, this name would set the prototype instead of a field.
  if (name === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name);
}

/** In single quotes, with the escapes of JSON. */
function text(value: string): string {
  const inner = JSON.stringify(value).slice(1, -1);
  const escaped = inner.replace(/\\.|'/g, part => {
    if (part === "'") return "\\'";
    return part === '\\"' ? '"' : part;
  });
  return `'${escaped}'`;
}
