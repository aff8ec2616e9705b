import { type Dispatcher, Pool } from 'undici';
import { optionsOfScript } from './processes.ts';

/**
 * The bare client, in a process of its own: undici's `dispatch` and nothing around it. Tells the
 * rate, and the processor time of one request.
 */
const options = optionsOfScript<{ url: string; count: number; connections: number }>();
const { origin, pathname: path } = new URL(options.url);
const pool = new Pool(origin, { connections: options.connections });

function run(total: number): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    let left = total;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd() {
        if (--left === 0) resolve(total / ((performance.now() - startedAt) / 1_000));
      },
      onResponseError: (_controller, error) => reject(error),
    };
    for (let i = 0; i < total; i++) pool.dispatch({ path, method: 'GET' }, handler);
  });
}

await run(options.count / 4);
const before = process.cpuUsage();
const perSecond = await run(options.count);
const { user, system } = process.cpuUsage(before);
await pool.close();
process.send!({ perSecond, cpuMicros: (user + system) / options.count });
process.disconnect!();
