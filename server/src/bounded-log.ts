import type { Logger } from 'pino';

const MINUTE_MS = 60_000;

/**
 * Lines of one kind, of which there may be many: so many a minute, and one that says how many more there were.
 */
export class BoundedLog {
  readonly #log: Logger;
  readonly #most: number;
  readonly #summary: string;
  #told = 0;
  #untold = 0;
  #minute: NodeJS.Timeout | null = null;

  /** @param summary the line that stands for the others; their number is its `count` */
  constructor(log: Logger, most: number, summary: string) {
    this.#log = log;
    this.#most = most;
    this.#summary = summary;
  }

  tell(level: 'info' | 'warn', fields: () => object, sentence: string): void {
    if (!this.#log.isLevelEnabled(level)) return;
    if (this.#minute === null) {
      this.#minute = setTimeout(() => this.#endMinute(), MINUTE_MS).unref();
    }
    if (this.#told < this.#most) {
      this.#told += 1;
      this.#log[level](fields(), sentence);
    } else this.#untold += 1;
  }

  #endMinute(): void {
    if (this.#untold > 0) this.#log.warn({ count: this.#untold }, this.#summary);
    this.#told = 0;
    this.#untold = 0;
    this.#minute = null;
  }
}
