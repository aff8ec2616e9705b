/** A text of a target within a sentence: on one line, without characters that steer a terminal. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, ' ');
}

/** A sentence that goes on another one. A name at its beginning stays as it is. */
export function decapitalized(sentence: string): string {
  return sentence.replace(/^(The|What|Port) /, start => start.toLowerCase());
}

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
