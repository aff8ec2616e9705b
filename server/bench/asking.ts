import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { Client } from 'undici';
import { pause } from './processes.ts';
import { CREDENTIALS } from './punctual.ts';
import type { Question } from './questions.ts';

export interface Asked extends Question {
  /** The very first answer, ms: nothing was counted or read before it. */
  firstMs: number;
  /** Of all others. */
  p50: number;
  p99: number;
  maxMs: number;
  answers: number;
  /** The first fault, in words. */
  fault: string | null;
}

/** All answers that one page had, ms, without the very first to each question. */
export interface AskedPage {
  page: string;
  p50: number;
  p99: number;
  answers: number;
}

/** Between two questions. */
const REST_MS = 10;

/**
 * Asks all questions in turn, one at a time as a user does, for `seconds`, and waits for each whole
 * answer. A search that has found nothing yet is continued; each part counts as an answer.
 */
export async function askAll(
  base: string,
  questions: Question[],
  seconds: number,
  told: (round: number) => void,
): Promise<{ asked: Asked[]; pages: AskedPage[] }> {
  const client = new Client(base);
  const asked = questions.map(question => ({ question, times: new Times() }));
  const endsAt = performance.now() + seconds * 1_000;
  for (let round = 1; round <= 2 || performance.now() < endsAt; round += 1) {
    for (const { question, times } of asked) {
      let path: string | null = question.path;
      while (path !== null) {
        path = await times.take(() => ask(client, path!));
        await pause(REST_MS);
      }
    }
    told(round);
  }
  await client.close();
  return {
    asked: asked.map(({ question, times }) => ({ ...question, ...times.told })),
    pages: [...Map.groupBy(asked, ({ question }) => question.page)].map(([page, of]) => {
      const { p50, p99, answers } = Times.together(of.map(({ times }) => times)).told;
      return { page, p50, p99, answers };
    }),
  };
}

interface Answer {
  fault: string | null;
  /** The cursor from which a search that has found nothing continues. */
  next: string | null;
}

async function ask(client: Client, path: string): Promise<Answer> {
  const { statusCode, body } = await client.request({ method: 'GET', path, headers: CREDENTIALS });
  const text = await body.text();
  if (statusCode !== 200) return { fault: `${statusCode} ${text}`, next: null };
  const [, cursor] = /^\{"items":\[\],"nextCursor":"([^"]+)"/.exec(text) ?? [];
  const next = cursor && `${path.replace(/&cursor=.*$/, '')}&cursor=${cursor}`;
  return { fault: null, next: next ?? null };
}

class Times {
  readonly #rest: RecordableHistogram = createHistogram({ highest: 600_000_000, figures: 3 });
  #first: number | null = null;
  #fault: string | null = null;

  static together(all: Times[]): Times {
    const sum = new Times();
    for (const times of all) if (times.#rest.count > 0) sum.#rest.add(times.#rest);
    return sum;
  }

  /** @returns where it goes on */
  async take(work: () => Promise<Answer>): Promise<string | null> {
    const startedAt = performance.now();
    const { fault, next } = await work();
    const took = performance.now() - startedAt;
    if (this.#first === null) this.#first = took;
    else this.#rest.record(Math.max(1, Math.round(took * 1_000)));
    this.#fault ??= fault;
    return next;
  }

  get told() {
    const at = (share: number) => this.#rest.percentile(share * 100) / 1_000;
    return {
      firstMs: this.#first ?? 0,
      p50: at(0.5),
      p99: at(0.99),
      maxMs: this.#rest.max / 1_000,
      answers: this.#rest.count,
      fault: this.#fault,
    };
  }
}
