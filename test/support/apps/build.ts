import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { compile } from 'svelte/compiler';
import { build, type Plugin } from 'vite';

/** Where each app mounts; the names are those of the frameworks' own templates. */
const roots = { react: 'root', vue: 'app', svelte: 'svelte' };
export type AppName = keyof typeof roots;
const appNames = Object.keys(roots) as AppName[];

const svelte: Plugin = {
  name: 'svelte',
  transform(code, id) {
    return id.endsWith('.svelte') ? { code: compile(code, { filename: id }).js.code, map: null } : null;
  },
};

/** Builds the apps as `vite build` does. @returns each app's page, its script inline in a module. */
export async function buildApps(): Promise<Record<AppName, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-apps-'));
  try {
    const pages = await Promise.all(appNames.map((name) => buildApp(name, join(folder, name))));
    return Object.fromEntries(pages) as Record<AppName, string>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildApp(name: AppName, outDir: string): Promise<[AppName, string]> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: import.meta.dirname,
    plugins: [svelte],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { outDir, lib: { entry: `${name}.js`, formats: ['es'], fileName: 'app' } },
  });
  const script = await readFile(join(outDir, 'app.js'), 'utf8');
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An app</title></head>
    <body><div id="${roots[name]}"></div><script type="module">${script.replaceAll('</script', '<\\/script')}</script></body></html>`;
  return [name, page];
}
