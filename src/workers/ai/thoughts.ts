/** What a model thinks aloud before its answer; some servers leave out where it begins. */
const thoughts = /^(?:\s*<think(?:ing)?>)?(?:(?!<think(?:ing)?>)[\s\S])*?<\/think(?:ing)?>/i;
/** It came to no end. */
const unfinished = /^\s*<think(?:ing)?>[\s\S]*$/i;

/** An answer in prose. */
export const withoutThoughts = (text: string): string =>
  text.replace(thoughts, '').replace(unfinished, '').trim();
