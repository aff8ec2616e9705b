import { ACCESS_EXAMPLES } from './access.ts';
import type { Example } from './example.ts';
import { RUN_EXAMPLES } from './runs.ts';
import { SCHEDULE_EXAMPLES } from './schedules.ts';

const EXAMPLES: Record<string, Example> = {
  ...SCHEDULE_EXAMPLES,
  ...RUN_EXAMPLES,
  ...ACCESS_EXAMPLES,
};

interface Described {
  operationId?: string;
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content?: Contents };
  responses?: Record<string, { content?: Contents }>;
}

type Contents = Record<string, { example?: unknown }>;

/** Puts the examples where the reference shows them: at parameters, bodies and answers. */
export function withExamples<Document extends object>(document: Document): Document {
  const { paths } = document as { paths?: Record<string, Record<string, Described>> };
  for (const methods of Object.values(paths ?? {})) {
    for (const described of Object.values(methods)) {
      const example = EXAMPLES[described.operationId ?? ''];
      if (example !== undefined) show(described, example);
    }
  }
  return document;
}

function show({ parameters, requestBody, responses }: Described, example: Example): void {
  const { params, query, body, answer } = example;
  for (const parameter of parameters ?? []) {
    const value = (parameter.in === 'path' ? params : query)?.[parameter.name];
    if (value !== undefined) parameter.example = value;
  }
  for (const content of Object.values(requestBody?.content ?? {})) content.example = body;
  for (const content of Object.values(responses?.['200']?.content ?? {})) content.example = answer;
}
