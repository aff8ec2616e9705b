/** A call that takes this long may be slow, or its server is gone without a word. */
const ASK_AFTER_MS = 1_500;
/** How often that is looked at while calls are under way. */
const LOOK_MS = 500;

interface Call {
  since: number;
  giveUp(error: Error): void;
}

/**
 * Gives calls up whose server has gone silent, as behind a cable that was cut: no connection breaks, and no answer comes.
 * A slow call is not given up: while there is one, the server is asked on a new connection whether it is there.
 *
 * A call ends `ASK_AFTER_MS`, `LOOK_MS` and the time of one question after the silence has begun, at most: 4 s.
 */
export class Silence {
  readonly #answers: () => Promise<boolean>;
  /** The oldest comes first. */
  readonly #underWay = new Set<Call>();
  #heardAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  /** @param answers asks the server; never rejects, and takes 2 s at most */
  constructor(answers: () => Promise<boolean>) {
    this.#answers = answers;
  }

  /** @throws what `work` throws, and an error where the server has gone silent; `work` goes on then */
  unless<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const call = { since: performance.now(), giveUp: reject };
      this.#underWay.add(call);
      this.#lookLater();
      const end = () => this.#underWay.delete(call);
      work.then(resolve, reject).finally(end);
    });
  }

  #lookLater(): void {
    if (this.#isLooking || this.#underWay.size === 0) return;
    this.#isLooking = true;
    setTimeout(async () => {
      await this.#look();
      this.#isLooking = false;
      this.#lookLater();
    }, LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    const [oldest] = this.#underWay;
    const since = Math.max(oldest?.since ?? Number.POSITIVE_INFINITY, this.#heardAt);
    if (performance.now() - since < ASK_AFTER_MS) return;
    if (await this.#answers()) {
      this.#heardAt = performance.now();
      return;
    }
    // All of them: a young one would wait for connections that the others hold.
    const calls = [...this.#underWay];
    this.#underWay.clear();
    for (const { giveUp } of calls) giveUp(new Error('the server does not answer'));
  }
}
