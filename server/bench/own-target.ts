import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { optionsOfScript } from './processes.ts';
import type { TargetOptions } from './target.ts';

/**
 * The cheapest correct HTTP/1.1 server for requests without a body: one answer for each blank line,
 * and one line in the log of arrivals.
 */
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';
const SCHEDULE = /^\w+ \S*[?&]s=(\w+)/;
const SCHEDULED_FOR = /\r\nPunctual-Scheduled-For: *(\S+)/i;

const { addresses, port, log } = optionsOfScript<TargetOptions>();
const arrivals = createWriteStream(log, { flags: 'a' });
let lines = '';

function note(head: string): void {
  const schedule = SCHEDULE.exec(head)?.[1] ?? '-';
  const scheduledFor = SCHEDULED_FOR.exec(head)?.[1] ?? '-';
  if (lines === '') setTimeout(write, 100);
  lines += `${(Date.now() / 1_000).toFixed(3)} ${schedule} ${scheduledFor}\n`;
}

function write(): void {
  arrivals.write(lines);
  lines = '';
}

let listening = 0;
for (const address of addresses) {
  const server = createServer({ noDelay: true }, socket => {
    let rest = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', data => {
      const heads = (rest + data.toString('latin1')).split('\r\n\r\n');
      rest = heads.pop()!;
      for (const head of heads) note(head);
      if (heads.length > 0) socket.write(ANSWER.repeat(heads.length));
    });
  });
  server.listen(port, address, () => {
    listening += 1;
    if (listening === addresses.length) process.send!('listening');
  });
}
