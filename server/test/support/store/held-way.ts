import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can go silent, as a cable that is cut: nothing breaks, and nothing arrives. */
export interface HeldWay {
  port: number;
  /** From now on nothing arrives, or no answer does. What is sent meanwhile arrives after `pass`. */
  hold(what: 'all' | 'answers'): void;
  pass(): void;
  close(): void;
}

export async function heldWayTo(port: number): Promise<HeldWay> {
  let held: 'all' | 'answers' | null = null;
  const pairs = new Set<{ near: Socket; far: Socket }>();
  const apply = ({ near, far }: { near: Socket; far: Socket }) => {
    if (held === 'all') near.pause();
    else near.resume();
    if (held === null) far.resume();
    else far.pause();
  };
  const server = createServer({ pauseOnConnect: true }, near => {
    const far = connect(port, '127.0.0.1');
    const pair = { near, far };
    pairs.add(pair);
    near.on('data', data => far.write(data));
    far.on('data', data => near.write(data));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
    apply(pair);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const set = (what: typeof held) => {
    held = what;
    for (const pair of pairs) apply(pair);
  };
  return {
    port: (server.address() as AddressInfo).port,
    hold: set,
    pass: () => set(null),
    close() {
      server.close();
      for (const { near } of pairs) near.destroy();
    },
  };
}
