/**
 * What a model thinks aloud before its answer: up to its last end, as it may name its own tags, or to that of the text,
 * where it has come to none; some servers leave out where it begins.
 */
const thoughts =
  /^\s*<think(?:ing)?>(?:[\s\S]*<\/think(?:ing)?>|[\s\S]*)|^(?:(?!<think(?:ing)?>)[\s\S])*?<\/think(?:ing)?>/i;

/** An answer in prose. */
export const withoutThoughts = (text: string): string => text.replace(thoughts, '').trim();
