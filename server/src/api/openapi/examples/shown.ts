import type { Operation } from '../operation.ts';
import { PARAMETERS } from '../parameters.ts';

interface Described {
  operationId?: string;
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content?: Contents };
  responses?: Record<string, { content?: Contents }>;
}

type Values = Record<string, unknown> | undefined;
type Contents = Record<string, { example?: unknown }>;

/** Puts the examples where the reference shows them: at parameters, bodies and answers. */
export function withExamples<Document extends object>(
  document: Document,
  operations: readonly Operation[],
): Document {
  const examples = new Map(operations.map(({ operationId, example }) => [operationId, example]));
  const { paths } = document as { paths?: Record<string, Record<string, Described>> };
  for (const methods of Object.values(paths ?? {})) {
    for (const described of Object.values(methods)) {
      const example = examples.get(described.operationId ?? '');
      if (example !== undefined) show(described, example);
    }
  }
  return document;
}

function show(
  { parameters, requestBody, responses }: Described,
  example: Operation['example'],
): void {
  const { body, answer } = example;
  const params: Values = Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, { example }]) => [name, example]),
  );
  const query = example.query as Values;
  for (const parameter of parameters ?? []) {
    const value = (parameter.in === 'path' ? params : query)?.[parameter.name];
    if (value !== undefined) parameter.example = value;
  }
  for (const content of Object.values(requestBody?.content ?? {})) content.example = body;
  for (const content of Object.values(responses?.['200']?.content ?? {})) content.example = answer;
}
