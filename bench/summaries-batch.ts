import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Element, isTag } from 'domhandler';
import { walk } from '../src/workers/extract/walk.ts';
import { parseTree } from '../src/workers/extract/parse-tree.ts';
import { startService } from '../test/support/service.ts';
import { type CorpusPage, loadCorpus } from './content/corpus.ts';
import { tellFigure } from './figures.ts';
import { post } from './request.ts';

/**
 * Summarises every page of the corpora over HTTP with the built-in model, as many in a request as one takes, and looks
 * each quote up in the page as it was served, without the code that made it. Beside it: the memory of all processes
 * of the service after each request. `articles` or `pages` as an argument: that corpus only.
 */
const wanted = process.argv[2];
const pages = (['articles', 'pages'] as const)
  .filter((corpus) => wanted === undefined || wanted === corpus)
  .flatMap((corpus) => loadCorpus(corpus));
/** As many as `/summarize/urls` takes. */
const atOnce = 20;
/** What starts at first use (task processes, their code) is in memory after this many. */
const warmUp = 3;

interface Item {
  url: string;
  data?: { citations: { quote: string }[]; keyPoints: string[] } | null;
  error?: { code: string } | null;
}

/** White space, kinds of quotation marks and what is invisible do not count. */
const fold = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\s\u200b-\u200d\u2060\ufeff\u00ad]+/gu, '')
    .replace(/[\u2018\u2019\u201a\u201b`´]/g, "'")
    .replace(/[\u201c-\u201f«»]/g, '"');

/** The name of a drawing is no text that a reader sees. */
const isSeen = (element: Element): boolean =>
  !['script', 'style'].includes(element.name) &&
  !(
    element.name === 'title' &&
    element.parent !== null &&
    isTag(element.parent) &&
    element.parent.name === 'svg'
  );

function textOf(html: string): string {
  const parts: string[] = [];
  walk(
    parseTree(html),
    isSeen,
    () => undefined,
    ({ data }) => void parts.push(data),
  );
  return fold(parts.join(''));
}

/** Resident memory of a process and all below it, in MB. */
function memoryOf(root: number): number {
  const parents = new Map<number, number>();
  const resident = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]));
      resident.set(Number(name), Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || (pid > 1 && isOurs(parents.get(pid))));
  return [...resident].reduce((sum, [pid, kilobytes]) => sum + (isOurs(pid) ? kilobytes : 0), 0) / 1_024;
}

const byPath = new Map(pages.map((page) => [`/${page.corpus}/${page.id}`, page]));
const server = createServer(({ url = '' }, response) => {
  const page = byPath.get(url);
  response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(page?.html ?? '');
}).listen(0, '127.0.0.1');
const service = await startService({ env: { NODE_ENV: 'production' } });
try {
  const { port } = server.address() as AddressInfo;
  let [asked, summarised, quotes, standing] = [0, 0, 0, 0];
  const missing: string[] = [];
  const failures = new Map<string, number>();
  const memory: number[] = [];
  const check = (page: CorpusPage, found: readonly string[]): void => {
    const text = textOf(page.html);
    for (const quote of found) {
      quotes++;
      if (text.includes(fold(quote))) standing++;
      else missing.push(`${page.id}: ${quote}`);
    }
  };
  for (let first = 0; first < pages.length; first += atOnce) {
    const own = pages.slice(first, first + atOnce);
    const urls = own.map((page) => `http://127.0.0.1:${port}/${page.corpus}/${page.id}`);
    const asking = { urls, render: 'http', length: 'long' };
    const answer = await post(service, '/api/proxy/web/v1/summarize/urls', asking, { Prefer: 'wait=110' });
    const { data: batch } = JSON.parse(answer) as { data: { items: Item[] } };
    for (const [index, { data, error }] of batch.items.entries()) {
      asked++;
      if (data == null) failures.set(error?.code ?? '?', (failures.get(error?.code ?? '?') ?? 0) + 1);
      else {
        summarised++;
        check(
          own[index] as CorpusPage,
          data.citations.map(({ quote }) => quote),
        );
      }
    }
    memory.push(memoryOf(service.process.pid ?? 0));
  }
  const [early = 0, late = 0] = [memory[warmUp], memory.at(-1)];
  console.log(`${summarised} of ${asked} pages summarised; ${JSON.stringify(Object.fromEntries(failures))}`);
  console.log(`quotes that stand in their page as it was served: ${standing} of ${quotes}`);
  for (const one of missing.slice(0, 20)) console.log(`  not found: ${one}`);
  console.log(
    `memory of all processes after each request, MB: ${memory.map((mb) => mb.toFixed(0)).join(' ')}`,
  );
  tellFigure({
    what: 'quotes that stand in their page as served',
    value: standing,
    unit: '',
    baseline: quotes,
  });
  tellFigure({ what: 'memory, last request and fourth', value: late, unit: 'MB', baseline: early });
} finally {
  await service.stop();
  server.close();
}
