import { extract } from '../../../shared/contracts/web/extract.ts';
import { defineHandler } from '../../handler.ts';
import { readContent } from '../../documents/read-content.ts';

export default defineHandler(extract, async (input, job, tools) => {
  const { selector, excludeSelectors } = input;
  return await readContent(input, { selector, excludeSelectors }, job, tools);
});
