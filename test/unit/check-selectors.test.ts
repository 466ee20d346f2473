import { expect, test } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import { parsePage } from '../../src/workers/extract/parse-page.ts';
import checkSelectors from '../../src/workers/page/html/check-selectors.ts';

test.each([
  ['a[', 'it ends where a name has to follow.'],
  ['a:', 'a name has to stand at `:`.'],
  ['a,', 'a part of it, beside a comma or in brackets, is empty.'],
  ['a:foo', 'Unknown pseudo-class :foo.'],
])('%s: %s', (selector, flaw) => {
  const told = `\`${selector}\` cannot be read as a CSS selector: ${flaw} Write it as in \`article > h2\` or \`a[href]\`.`;
  const thrown = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return error;
    }
  };
  const error = thrown(() => checkSelectors([{ selector: 'a' }, { selector }]));
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({
    code: 'invalid_request',
    detail: `elements.1.selector: ${told}`,
    errors: [{ path: 'elements.1.selector', message: told }],
  });
  expect(thrown(() => parsePage('<p>a</p>', { selector }))).toMatchObject({
    code: 'invalid_request',
    detail: told,
  });
});
