/**
 * Writes server/openapi.json, the document that `GET /openapi.json` answers.
 *
 * Run it (`node scripts/openapi.ts`) after a change of a route or a schema; a test says when the
 * file is behind.
 */
import { writeFileSync } from 'node:fs';
import pino from 'pino';
import { buildApi } from '../server/src/api/app.ts';
import { ELSEWHERE } from '../server/src/api/deps.ts';
import { systemClock } from '../server/src/clock.ts';
import { ALLOW_PUBLIC } from '../server/src/domain/schedule/target.ts';
import { openSqlite } from '../server/src/store/sqlite/open.ts';

const store = openSqlite(':memory:');
const app = buildApi({
  store,
  clock: systemClock,
  allow: ALLOW_PUBLIC,
  engine: ELSEWHERE,
  log: pino({ level: 'silent' }),
  tryOut: async () => {
    throw new Error('nothing is sent here');
  },
  showRequest: () => {
    throw new Error('nothing is shown here');
  },
  showSent: () => {
    throw new Error('nothing is shown here');
  },
  calendarPort: {
    async put() {
      throw new Error('nothing is read here');
    },
    refresh: async () => false,
  },
  isEncrypting: true,
  keepRunsDays: 30,
  readiness: async () => ({}),
  pausedSince: async () => null,
  metricsText: async () => ({ contentType: 'text/plain', body: '' }),
});
await app.ready();

const file = new URL('../server/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(app.swagger(), null, 2)}\n`);
await app.close();
await store.close();
