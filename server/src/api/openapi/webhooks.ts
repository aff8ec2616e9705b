/** The callbacks that the service makes, as the document of the API tells them to a receiver. */

const ENDS = {
  'schedule.run.failed': {
    operationId: 'onRunFailed',
    summary: 'A run failed for good',
    description: 'Sent to each integration of the schedule, after the last retry.',
  },
  'schedule.run.succeeded': {
    operationId: 'onRunSucceeded',
    summary: 'A run succeeded',
    description: 'Sent to each integration of the schedule that has `callOnSuccess`.',
  },
};

const SIGNATURE_HEADERS = {
  'webhook-id': 'The same for every attempt of this callback.',
  'webhook-timestamp': 'When this attempt was signed, in seconds since 1970.',
  'webhook-signature':
    '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`, as Standard Webhooks says; several are ' +
    'separated by spaces.',
};

const parameters = Object.entries(SIGNATURE_HEADERS).map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

const ANSWERS = {
  '2XX': { description: 'It is delivered.' },
  '4XX': { description: 'It is given up; but after 408, 425 and 429 it is sent again.' },
  '5XX': { description: 'It is sent again, as a run is retried.' },
};

const EXAMPLE = {
  timestamp: '2026-03-29T01:02:36.120Z',
  data: {
    scheduleId: '01a1faac-acec-77cd-97c5-0fd16a7f4646',
    label: 'Nightly report',
    integrationId: '01a1faac-acec-7a01-8c11-3f7c2f1b9d20',
  },
};

const RUN = {
  id: '01a1fab2-4d00-7c3e-9a51-64f7c2a1b083',
  scheduledFor: '2026-03-29T01:00:00.000Z',
  startedAt: '2026-03-29T01:00:00.003Z',
  finishedAt: EXAMPLE.timestamp,
};

const RUNS = {
  'schedule.run.failed': {
    ...RUN,
    attempts: 4,
    status: 'failed',
    outcome: 'response',
    responseStatus: 503,
    error: 'The target answered 503.',
  },
  'schedule.run.succeeded': {
    ...RUN,
    attempts: 2,
    status: 'succeeded',
    outcome: 'response',
    responseStatus: 200,
  },
};

/** By the `type` of their bodies. */
export const WEBHOOKS = Object.fromEntries(
  Object.entries(ENDS).map(([type, words]) => {
    const example = {
      type,
      timestamp: EXAMPLE.timestamp,
      data: { ...EXAMPLE.data, run: RUNS[type as keyof typeof RUNS] },
    };
    const schema = { $ref: '#/components/schemas/ScheduleCallback' };
    const requestBody = { required: true, content: { 'application/json': { schema, example } } };
    return [
      type,
      {
        post: {
          ...words,
          tags: ['callbacks'],
          security: [],
          parameters,
          requestBody,
          responses: ANSWERS,
        },
      },
    ];
  }),
);
