/** A text of a target within a sentence: on one line, without characters that steer a terminal. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, ' ');
}

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
