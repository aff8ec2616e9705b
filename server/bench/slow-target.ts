import { createServer } from 'node:http';
import { optionsOfScript } from './processes.ts';
import type { SlowOptions } from './target.ts';

/** Takes every request, and answers late or never. */
const { addresses, port, afterMs } = optionsOfScript<SlowOptions>();
let atOnce = 0;
let most = 0;

let listening = 0;
for (const address of addresses) {
  const server = createServer((_request, response) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.once('close', () => {
      atOnce -= 1;
    });
    if (afterMs !== null) setTimeout(() => response.end('late'), afterMs);
  });
  server.listen(port, address, () => {
    listening += 1;
    if (listening === addresses.length) process.send!('listening');
  });
}

process.on('message', () => {
  process.send!(most);
  most = atOnce;
});
