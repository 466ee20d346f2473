/** What the CSS parser's error says, as a sentence: its own text breaks off where a selector does. */
export function flawOfSelector(error: Error): string {
  const [, rest] = /^Expected name, found (.*)$/s.exec(error.message) ?? [];
  if (rest === '') return 'it ends where a name has to follow.';
  if (rest !== undefined) return `a name has to stand at \`${rest.slice(0, 100)}\`.`;
  if (error.message === 'Empty sub-selector') return 'a part of it, beside a comma or in brackets, is empty.';
  return `${error.message.slice(0, 200).replace(/\.$/, '')}.`;
}

export const howToWriteSelector = 'Write it as in `article > h2` or `a[href]`.';
