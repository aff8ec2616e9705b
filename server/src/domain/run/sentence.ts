/** A text of a target within a sentence: on one line, without characters that steer a terminal. */
export function withoutControls(text: string): string {
  return CONTROL.test(text) ? text.replace(EACH_CONTROL, ' ') : text;
}

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const EACH_CONTROL = /[\p{Cc}\u2028\u2029]+/gu;
