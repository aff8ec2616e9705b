import { page } from '../route.ts';

/** For programs that read before they call (https://llmstxt.org): one page, and where everything else stands. */
const TEXT = `# Punctual

> A self-hosted HTTP schedule service. A schedule has a url, a verb, a cron interval and a time zone. At each interval
> Punctual sends the request, retries it, keeps the history, and calls webhooks.

Callers send the headers ClientId and ApiKey. Every error has the body {"error": "one sentence"} and its code in the header
Punctual-Error-Code. Intervals have five fields, six with seconds in front, or are a macro such as @daily.

## Look up

- [The interface as OpenAPI 3.1](openapi.json): every operation, with examples of bodies and answers
- [Time zones](timezones): the accepted names

## Common calls

- POST /v1/check: what a create would refuse; nothing is stored
- POST /v1/preview: the next times of an interval
- POST /v1/schedule: create a schedule
- GET /v1/schedule: list schedules
- PATCH /v1/schedule/{id}: change one; {"status": "disabled"} pauses it
- GET /v1/run: the history
- GET /v1/schedule/{id}/explain?at=…: whether it fired at an instant, and why or why not
`;

export const llms = page(
  '/llms.txt',
  () => async (_request, reply) => reply.type('text/plain; charset=utf-8').send(TEXT),
);
