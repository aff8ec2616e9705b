/** The texts that an editor has told its form, so that it knows its own when they come back, however late. */
export class ToldTexts {
  #last: string;
  /** Told and not yet come back, oldest first. */
  #underWay: string[] = [];

  constructor(text: string) {
    this.#last = text;
  }

  /** @returns whether the form is to be told of this text of the editor */
  typed(text: string): boolean {
    if (text === this.#last) return false;
    this.#last = text;
    this.#underWay.push(text);
    return true;
  }

  /** @returns whether this text of the form takes the place of the editor's: nobody typed it there */
  came(text: string): boolean {
    const place = this.#underWay.indexOf(text);
    if (place !== -1) {
      this.#underWay.splice(0, place + 1);
      return false;
    }
    if (text === this.#last) return false;
    this.#underWay = [];
    this.#last = text;
    return true;
  }
}
