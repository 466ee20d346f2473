/* oxlint-disable no-underscore-dangle -- the names of the library's own methods */
import { Token, Tokenizer } from 'parse5';

const textEnd = /[<&\0\r]/g;
const rawEnd = /[<\0\r]/g;
const valueEnd = /["&\0\r]/g;

/**
 * parse5's tokenizer for a document that is given whole: it takes a run of plain characters in one step. The tree is
 * the same, but for white space between words in a `frameset`, where no text may stand: it goes with them.
 */
export class QuickTokenizer extends Tokenizer {
  protected override _stateData(cp: number): void {
    super._stateData(cp);
    this.#takeText(textEnd);
  }

  protected override _stateRcdata(cp: number): void {
    super._stateRcdata(cp);
    this.#takeText(textEnd);
  }

  protected override _stateRawtext(cp: number): void {
    super._stateRawtext(cp);
    this.#takeText(rawEnd);
  }

  protected override _stateScriptData(cp: number): void {
    super._stateScriptData(cp);
    this.#takeText(rawEnd);
  }

  protected override _stateAttributeValueDoubleQuoted(cp: number): void {
    super._stateAttributeValueDoubleQuoted(cp);
    this.#takeRun(valueEnd);
  }

  /** White space that a text begins with stays a token of its own: in many places it does not count. */
  #takeText(end: RegExp): void {
    if (this.currentCharacterToken?.type === Token.TokenType.CHARACTER) this.#takeRun(end);
  }

  /** Goes on to what ends the run, where the current character has joined one. */
  #takeRun(end: RegExp): void {
    const { preprocessor } = this;
    const next = preprocessor.pos + 1;
    // A line feed after a carriage return is not taken.
    if (this.runEnd !== next || preprocessor.html.charCodeAt(preprocessor.pos) === 13) return;
    end.lastIndex = next;
    this.runEnd = end.test(preprocessor.html) ? end.lastIndex - 1 : preprocessor.html.length;
    preprocessor.pos = this.runEnd - 1;
  }
}
