/** Words a minute, silent reading of English non-fiction (Brysbaert 2019). */
const wordsPerMinute = 238;

/** Minutes that a text of so many words takes to read, rounded up. */
export const readingMinutes = (words: number): number => Math.ceil(words / wordsPerMinute);

/** Characters of an excerpt. */
export const excerptLength = 300;
