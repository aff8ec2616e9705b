import { type Dispatcher, Pool } from 'undici';

/**
 * The bare client, in a process of its own: undici's `dispatch` and nothing around it. Prints the
 * rate, and the processor time of one request.
 */
const [, , url, countText, connectionsText] = process.argv;
const count = Number(countText);
const pool = new Pool(new URL(url!).origin, { connections: Number(connectionsText) });
const path = new URL(url!).pathname;

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

await run(count / 4);
const before = process.cpuUsage();
const perSecond = await run(count);
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ perSecond, cpuMicros: (user + system) / count })}\n`);
await pool.close();
