import { createServer } from 'node:net';

/** The cheapest correct HTTP/1.1 server for requests without a body: one answer for each blank line. */
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';

const server = createServer({ noDelay: true }, socket => {
  let rest = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', data => {
    const heads = (rest + data.toString('latin1')).split('\r\n\r\n');
    rest = heads.pop()!;
    if (heads.length > 0) socket.write(ANSWER.repeat(heads.length));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as { port: number }).port}\n`);
});
