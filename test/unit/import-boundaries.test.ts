import { resolve } from 'node:path';
import { expect, test } from 'vitest';

interface Plugin {
  rules: {
    'no-unlisted-import': {
      create(context: {
        filename: string;
        report(problem: { message: string }): void;
      }): Record<string, ((node: unknown) => void) | undefined>;
    };
  };
}

const root = resolve(import.meta.dirname, '../..');
const { default: plugin } = (await import(resolve(root, 'lint/boundaries.js'))) as { default: Plugin };

/** What is said of one import of a file of `src`. */
function refusals(
  file: string,
  specifier: string,
  kind = 'ImportDeclaration',
  written: unknown = { value: specifier },
): string[] {
  const messages: string[] = [];
  const visitors = plugin.rules['no-unlisted-import'].create({
    filename: resolve(root, file),
    report: ({ message }) => messages.push(message),
  });
  visitors[kind]?.({ source: written, callee: { name: 'URL' }, arguments: [written, {}] });
  return messages;
}

test.each([
  ['src/workers/page/analyze-page.ts', '../link-index/seen-links.ts'],
  ['src/workers/page/html/head.ts', '../load/refresh.ts'],
  ['src/workers/handlers/web/scrape.ts', '../../page/read-page.ts'],
  ['src/workers/handlers/web/scrape.ts', '../../../shared/contracts/web/scrape.ts'],
  ['src/workers/handlers/web/scrape.ts', 'zod'],
  ['src/workers/handlers/web/scrape.ts', 'node:path'],
  ['src/workers/crawl/crawl-site.ts', '../handler.ts'],
  ['src/api/mount.ts', '../shared/jobs/submit.ts'],
  ['src/api/main.ts', 'node:http'],
  ['src/admin/main.ts', '../embedded/run-command.ts'],
  ['src/shared/db/client.ts', 'pg'],
  ['test/unit/any.test.ts', '../../src/workers/jobs/processor.ts'],
])('%s may import %s', (file, specifier) => expect(refusals(file, specifier)).toEqual([]));

test.each([
  ['src/workers/page/analyze-page.ts', '../crawl/map-links.ts'],
  ['src/workers/page/analyze-page.ts', '../jobs/processor.ts'],
  ['src/workers/page/analyze-page.ts', '../main.ts'],
  ['src/workers/page/analyze-page.ts', '../../shared/config.ts'],
  ['src/workers/page/analyze-page.ts', 'pg'],
  ['src/workers/handlers/web/scrape.ts', './extract.ts'],
  ['src/workers/handlers/web/scrape.ts', '../page/render.ts'],
  ['src/workers/handlers/web/scrape.ts', '../../jobs/processor.ts'],
  ['src/workers/handlers/web/scrape.ts', '../../../shared/jobs/events.ts'],
  ['src/api/handlers/keys/create.ts', '../../../shared/config.ts'],
  ['src/api/mount.ts', '../workers/handler.ts'],
  ['src/workers/jobs/processor.ts', '../handlers/web/scrape.ts'],
  ['src/shared/ids.ts', '../seo/main.ts'],
  ['src/shared/ids.ts', 'koa'],
  ['src/shared/egress/proxy.ts', 'node:http'],
  ['src/admin/main.ts', '../api/deps.ts'],
  ['src/workers/a-new-folder/file.ts', '../../shared/errors.ts'],
  ['src/api/presenters/web/review.ts', '../../http/body.ts'],
  ['src/api/a-new-folder/file.ts', '../../shared/errors.ts'],
  ['src/a-new-folder/file.ts', '../shared/errors.ts'],
  ['src/shared/ids.ts', '../../test/support/growth.ts'],
  ['src/workers/page/analyze-page.ts', '../../../bench/all.ts'],
])('%s may not import %s', (file, specifier) => expect(refusals(file, specifier)).toHaveLength(1));

test.each([
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'NewExpression',
  'TSImportType',
])('an import is one in any form: %s', (kind) => {
  const [file, specifier] = ['src/workers/page/page-reader.ts', '../crawl/visit.ts'];
  const template = { quasis: [{ value: { cooked: specifier } }] };
  expect(refusals(file, specifier, kind)).toHaveLength(1);
  expect(refusals(file, specifier, kind, template)).toHaveLength(1);
});
