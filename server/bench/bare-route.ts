import fastify from 'fastify';
import { optionsOfScript } from './processes.ts';

/** A bare Fastify that answers the bytes it is given: what Punctual's API is to be seen beside. */
const { port, get, post } = optionsOfScript<{ port: number; get: string; post: string }>();
const app = fastify();
const type = 'application/json; charset=utf-8';
app.get('/v1/schedule/:id', (_request, reply) => reply.type(type).send(get));
// It parses the body, as Fastify does, and does nothing with it.
app.post('/v1/schedule', (_request, reply) => reply.type(type).send(post));
await app.listen({ port, host: '127.0.0.1' });
process.send!('listening');
