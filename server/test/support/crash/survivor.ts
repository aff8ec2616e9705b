import { CREDENTIALS } from './api.ts';
import { type LifeOptions, Process } from './life.ts';

/** A service on one database, killed and started again. */
export class Survivor {
  readonly #options: LifeOptions;
  #process: Process | null = null;
  /** Its base url, once it has started. */
  url = '';

  /** @param options with `DATABASE_URL` in the environment, beside what else it is to know */
  constructor({ environment, ...options }: LifeOptions) {
    const { clientId, apiKey } = CREDENTIALS;
    const caller = { PUNCTUAL_CLIENT_ID: clientId, PUNCTUAL_API_KEY: apiKey };
    this.#options = { ...options, environment: { PORT: '0', ...caller, ...environment } };
  }

  async start(): Promise<void> {
    this.#process = new Process(this.#options);
    this.url = await this.#process.ready;
  }

  kill(): Promise<void> {
    return this.#process!.kill();
  }

  stop(): Promise<void> {
    return this.#process!.stop();
  }

  async dispose(): Promise<void> {
    await this.#process?.dispose();
  }
}
