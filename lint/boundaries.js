import { dirname, relative, resolve, sep } from 'node:path';

const source = resolve(import.meta.dirname, '../src');

const jobRunning = ['shared', 'shared/config.ts', 'shared/db', 'shared/jobs', 'ioredis'];

/**
 * What each folder of `src` may import beside its own files: other folders, and packages of those that are guarded.
 * Whatever is not listed is denied, so that a new folder of `src`, of `src/api` or of `src/workers` imports nothing until it
 * is listed.
 */
const mayImport = {
  shared: ['shared/config.ts', 'shared/db', 'ioredis', 'kysely'],
  'shared/config.ts': ['shared'],
  'shared/db': ['shared', 'shared/config.ts', 'shared/jobs', 'kysely', 'pg'],
  'shared/jobs': ['shared', 'shared/db', 'bullmq', 'ioredis', 'kysely'],

  // The files beside the folders are `api`; a folder is served by them, or is what they serve with.
  api: [
    'api/board',
    'api/console',
    'api/docs',
    'api/feed',
    'api/http',
    'api/mcp',
    'api/metrics',
    'api/openapi',
    'api/sessions',
    'api/webhooks',
    'shared',
    'shared/config.ts',
    'shared/db',
    'shared/jobs',
    'ioredis',
    'koa',
    'kysely',
  ],
  'api/board': ['api', 'api/http', 'api/sessions', 'shared', 'bullmq'],
  'api/console': ['api/http', 'shared'],
  'api/docs': ['api/http', 'shared'],
  'api/feed': [
    'api',
    'api/http',
    'api/sessions',
    'shared',
    'shared/db',
    'shared/jobs',
    'ioredis',
    'koa',
    'kysely',
  ],
  'api/handlers': ['api', 'api/http', 'api/reviews', 'api/webhooks', 'shared', 'shared/db', 'shared/jobs'],
  'api/http': ['api', 'api/sessions', 'shared', 'shared/db', 'koa'],
  'api/mcp': ['api', 'api/http', 'api/sessions', 'shared', 'shared/jobs'],
  'api/metrics': ['api', 'api/http', 'shared', 'shared/config.ts', 'koa'],
  'api/openapi': ['api', 'api/feed', 'api/sessions', 'shared'],
  'api/presenters': ['api', 'shared'],
  'api/reviews': ['api', 'shared', 'shared/jobs'],
  'api/sessions': ['api', 'api/http', 'shared', 'shared/config.ts', 'shared/db'],
  'api/webhooks': ['api', 'shared', 'shared/db', 'shared/jobs'],

  embedded: ['shared', 'shared/config.ts', 'shared/db', 'ioredis', 'pg'],
  admin: ['embedded', 'shared', 'shared/config.ts', 'shared/db', 'pg'],
  seo: ['embedded', 'shared/config.ts', 'shared/db', 'pg'],

  // Those that run jobs, and make what their handlers work with. The files beside the folders are `workers`.
  workers: [...jobRunning, 'workers/jobs', 'workers/tools', 'bullmq'],
  'workers/jobs': [...jobRunning, 'workers', 'bullmq'],
  'workers/tools': [
    'workers/ai',
    'workers/browser',
    'workers/cache',
    'workers/crawl',
    'workers/link-index',
    'workers/page',
    'workers/processes',
    'workers/review',
    'workers/seo',
    'workers/video',
    ...jobRunning,
  ],
  'workers/handlers': [
    'shared',
    'workers/ai',
    'workers/batch',
    'workers/crawl',
    'workers/documents',
    'workers/handler.ts',
    'workers/markdown',
    'workers/page',
    'workers/review',
    'workers/seo',
    'workers/summarize',
    'workers/url',
    'workers/video',
  ],

  // By subject: no circles. Settings, and what is no data of their own, they get as arguments.
  'workers/addresses': [],
  'workers/ai': ['shared', 'shared/db'],
  'workers/batch': ['shared', 'workers/handler.ts'],
  'workers/browser': ['shared', 'workers/processes', 'puppeteer-core'],
  'workers/cache': ['shared', 'shared/db', 'workers/page'],
  'workers/crawl': [
    'shared',
    'shared/db',
    'ioredis',
    'workers/addresses',
    'workers/handler.ts',
    'workers/link-index',
    'workers/page',
  ],
  'workers/documents': ['shared', 'workers/extract', 'workers/handler.ts', 'workers/page'],
  'workers/extract': ['shared', 'workers/page'],
  'workers/link-index': ['shared/db', 'workers/addresses'],
  'workers/markdown': ['shared', 'workers/addresses', 'workers/extract'],
  'workers/page': ['shared', 'workers/browser', 'workers/handler.ts', 'workers/link-index', 'puppeteer-core'],
  'workers/processes': ['shared'],
  'workers/review': [
    'shared',
    'workers/addresses',
    'workers/ai',
    'workers/browser',
    'workers/extract',
    'workers/handler.ts',
    'workers/page',
    'workers/processes',
    'workers/url',
    'puppeteer-core',
  ],
  'workers/seo': ['shared', 'shared/db', 'ioredis', 'workers/crawl', 'workers/handler.ts', 'workers/page'],
  'workers/summarize': ['shared', 'workers/ai', 'workers/extract', 'workers/handler.ts'],
  'workers/url': ['shared', 'workers/page'],
  'workers/video': ['shared', 'workers/page', 'workers/processes'],
};

/** Whose folders are each on their own. */
const divided = new Set(['api', 'workers']);

const guardedPackages = new Set(['pg', 'bullmq', 'ioredis', 'kysely', 'koa', 'puppeteer-core']);

/** The longest name of the table that a path of `src` begins with; a file beside folders is of the folder around. */
function folderOf(path) {
  const [side, part] = path.split('/');
  if (`${side}/${part}` in mayImport) return `${side}/${part}`;
  return divided.has(side) && !part.endsWith('.ts') ? `${side}/${part}` : side;
}

/** Why the file may not import that; null where it may. */
function refusalOf(file, specifier) {
  if (!specifier.startsWith('.')) {
    const name = specifier.split('/')[0];
    if (!guardedPackages.has(name) || mayImport[folderOf(file)]?.includes(name)) return null;
    return `src/${folderOf(file)} may not import ${name}: lint/boundaries.js says what it may.`;
  }
  const target = relative(source, resolve(source, dirname(file), specifier)).replaceAll(sep, '/');
  if (target.startsWith('../')) return `src imports nothing from outside of it: ${specifier}.`;
  const [from, to] = [folderOf(file), folderOf(target)];
  if (from.endsWith('/handlers') && from === to) return 'A handler never imports another handler.';
  const allowed = mayImport[from] ?? [];
  if (from === to || allowed.includes(to) || allowed.includes(target)) return null;
  return `src/${from} may not import src/${target}: lint/boundaries.js says what it may.`;
}

/** Of a string, or of a template up to its first value. */
const specifierOf = (node) => node?.value ?? node?.quasis?.[0].value.cooked;

const noUnlistedImport = {
  create(context) {
    const file = relative(source, context.filename).replaceAll(sep, '/');
    if (file.startsWith('../')) return {};
    function check(node, specifier) {
      const message = typeof specifier === 'string' ? refusalOf(file, specifier) : null;
      if (message !== null) context.report({ node, message });
    }
    const checkSource = (node) => check(node, specifierOf(node.source));
    return {
      ImportDeclaration(node) {
        checkSource(node);
        const isLoaded = node.source.value === 'node:http' && node.importKind !== 'type';
        // The API's router loads it in any case.
        if (isLoaded && !file.startsWith('api/'))
          context.report({
            node,
            message: 'Take it from shared/node-http.ts, and its types by `import type`.',
          });
      },
      ExportNamedDeclaration: checkSource,
      ExportAllDeclaration: checkSource,
      ImportExpression: checkSource,
      TSImportType: checkSource,
      NewExpression(node) {
        if (node.callee.name === 'URL' && node.arguments.length === 2)
          check(node, specifierOf(node.arguments[0]));
      },
    };
  },
};

export default { meta: { name: 'boundaries' }, rules: { 'no-unlisted-import': noUnlistedImport } };
