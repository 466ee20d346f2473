/** A paragraph, heading, list item or group of cues, in the order of the text. */
export interface TextBlock {
  text: string;
  isHeading?: boolean;
  /** Where it is said in a recording, in seconds. */
  startSeconds?: number;
}

/** What is summarised: the main content, without the page around it. */
export interface SummaryDocument {
  title: string | null;
  /** ISO 639-1; null where it is not known. */
  language: string | null;
  blocks: readonly TextBlock[];
}

const blankLine = /\n[^\S\n]*\n\s*/;

/** Blocks of a text whose paragraphs are separated by blank lines. */
export function toBlocks(text: string): TextBlock[] {
  return text
    .split(blankLine)
    .map((part) => ({ text: part.trim() }))
    .filter((block) => block.text !== '');
}
