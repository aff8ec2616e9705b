/** The options of a command line, one by one; which of them have a value is the command's own knowledge. */
export interface Options<State> {
  /** Options with a value, and their meaning. */
  withValue: Record<string, (value: string, state: State) => void>;
  /** Options without a value, and their meaning. Others change nothing about what is sent. */
  switches: Record<string, (state: State) => void>;
  /** Words that are no option. */
  word: (word: string, state: State) => void;
}

/** @returns the problem, or null */
export function readOptions<State>(
  words: string[],
  options: Options<State>,
  state: State,
): string | null {
  const left = words.flatMap(word => splitWord(word, options.withValue));
  while (left.length > 0) {
    const word = left.shift()!;
    const read = Object.hasOwn(options.withValue, word) ? options.withValue[word] : undefined;
    if (!word.startsWith('-') || word === '-') options.word(word, state);
    else if (read === undefined) options.switches[word]?.(state);
    else {
      const value = left.shift();
      if (value === undefined) return `The option ${word} has no value.`;
      read(value, state);
    }
  }
  return null;
}

/** `-XPOST`, `--request=POST` and `-sSL` as single words. */
function splitWord(word: string, withValue: object): string[] {
  const long = /^(--[\w-]+)=([\s\S]*)$/.exec(word);
  if (long) return [long[1]!, long[2]!];
  if (!/^-[A-Za-z]./.test(word)) return [word];
  const short = word.slice(0, 2);
  if (Object.hasOwn(withValue, short)) return [short, word.slice(2)];
  return [short, ...splitWord(`-${word.slice(2)}`, withValue)];
}
