import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { api } from '../api.ts';
import { fieldsText, measureBesidePlain } from '../beside-plain.ts';
import type { Scene, Session } from '../session.ts';

export const destination: Scene = {
  name: 'destination',
  about: '20,000 plain schedules and 20,000 behind OAuth2, in turn, in two stores',
  defaults: { schedules: 20_000, rounds: 20 },
  async run(session) {
    const { target, arrivals } = await session.startTarget();
    const tokenUrl = await startTokenEndpoint(session);
    await measureBesidePlain(session, target.url(), arrivals, {
      name: 'OAuth2',
      fields: fieldsText({ destination: 'bench' }),
      mostRatio: 1.1,
      settings: { PUNCTUAL_SECRET_KEY: randomBytes(32).toString('base64') },
      prepare: base =>
        api(base, 'PUT', '/v1/destination/bench', {
          hosts: ['127.0.0.1'],
          allowHttp: true,
          auth: {
            type: 'oauth2',
            tokenUrl,
            clientId: 'bench',
            clientSecret: 'secret-of-the-bench',
          },
        }),
    });
  },
};

/** Each of its tokens is good for an hour. */
async function startTokenEndpoint(session: Session): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const token = { access_token: randomBytes(32).toString('hex'), token_type: 'Bearer' };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ ...token, expires_in: 3_600 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  session.closing(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
}
