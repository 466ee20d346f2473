#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createQuarry, type Quarry } from './client.js';
import { iterate } from './iterate.js';
import { QuarryProblem } from './problem.js';
import type { Input, Job } from './types.js';

const usage = `quarry scrape URL [--formats text,links]     the page: HTML, or what is asked for
quarry markdown URL                          its content
quarry screenshot URL -o FILE [--full-page]  its picture: .png, .jpeg, .webp or .pdf
quarry jobs [ID] [--status S] [--limit N] [--cancel]

  --server URL   the service; else QUARRY_URL, else http://127.0.0.1:3000
  --key KEY      an API key; else QUARRY_API_KEY
  --json         JSON also on a terminal, and of markdown; into a pipe all else is JSON anyway

Progress stands on the terminal, apart from what is printed. Exit: 0 done, 1 failed, 2 wrong use.`;

class UsageError extends Error {}

function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      server: { type: 'string' },
      key: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      formats: { type: 'string' },
      output: { type: 'string', short: 'o' },
      'full-page': { type: 'boolean', default: false },
      status: { type: 'string' },
      limit: { type: 'string', default: '20' },
      cancel: { type: 'boolean', default: false },
    },
  });
}

type Values = ReturnType<typeof readArguments>['values'];

/** What a page says must not steer the terminal: it could rewrite what stands there, or fill the clipboard. */
// oxlint-disable-next-line no-control-regex -- those are what it looks for
const shown = (text: string) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd');

function print(text: string): void {
  const lines = process.stdout.isTTY ? shown(text.replaceAll('\r\n', '\n')) : text;
  process.stdout.write(lines.endsWith('\n') ? lines : `${lines}\n`);
}
const printJson = (value: unknown) => print(JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0));
const wantsJson = (values: Values) => values.json || !process.stdout.isTTY;

/** One line on a terminal, written over as the job goes on; nothing elsewhere. */
function showProgress({ operation, status, progress }: Job): void {
  if (!process.stderr.isTTY) return;
  const { done, total, note } = progress;
  const count = done === null ? '' : ` ${done}${total === null ? '' : ` of ${total}`}`;
  const isOver = !['queued', 'running'].includes(status);
  const line = `${operation} ${status}${count}${note === null ? '' : ` ${note}`}`;
  const start = shown(line).slice(0, (process.stderr.columns ?? 80) - 1);
  process.stderr.write(`\r\u001b[K${isOver ? '' : start}`);
}

const options = { onProgress: showProgress };

function getUrl(positionals: string[]): string {
  const [url, ...more] = positionals;
  if (url === undefined || more.length > 0) throw new UsageError('Give one URL.');
  return url;
}

async function scrape(quarry: Quarry, positionals: string[], values: Values): Promise<void> {
  const formats = values.formats?.split(',') as Input<'web.scrape'>['formats'];
  const url = getUrl(positionals);
  const answer = await quarry.web.scrape({ url, ...(formats && { formats }) }, options);
  if (wantsJson(values)) return printJson(answer);
  const { html, text, links, title, statusCode, finalUrl } = answer.data;
  print(`${title ?? 'No title'}\n${finalUrl} (${statusCode ?? 'no status'})\n`);
  for (const part of [html, text, links?.map((link) => `${link.url} ${link.anchor}`).join('\n')]) {
    if (part) print(part);
  }
}

async function markdown(quarry: Quarry, positionals: string[], values: Values): Promise<void> {
  const answer = await quarry.web.convertMarkdown({ url: getUrl(positionals) }, options);
  if (values.json) printJson(answer);
  else print(answer.data.markdown);
}

const formats = { png: 'png', jpg: 'jpeg', jpeg: 'jpeg', webp: 'webp', pdf: 'pdf' } as const;

async function screenshot(quarry: Quarry, positionals: string[], values: Values): Promise<void> {
  const url = getUrl(positionals);
  const path = values.output ?? '';
  const format = formats[(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '') as keyof typeof formats];
  if (format === undefined) throw new UsageError('Give -o FILE that ends in .png, .jpeg, .webp or .pdf.');
  const answer = await quarry.web.screenshot({ url, format, fullPage: values['full-page'] }, options);
  const { imageUrl, width, height, bytes } = answer.data;
  if (imageUrl === null) throw new Error('The answer has no picture.');
  await writeFile(path, await quarry.download(imageUrl));
  if (wantsJson(values)) printJson(answer);
  else print(`${path}: ${width} × ${height}, ${bytes} bytes`);
}

async function jobs(quarry: Quarry, positionals: string[], values: Values): Promise<void> {
  const [id, ...more] = positionals;
  if (more.length > 0) throw new UsageError('Give one id, or none.');
  if (id !== undefined) {
    return printJson(await (values.cancel ? quarry.jobs.delete({ id }) : quarry.jobs.get({ id })));
  }
  if (values.cancel) throw new UsageError('Give the id of the job that is to be canceled.');
  const bound = Number(values.limit);
  if (!Number.isInteger(bound) || bound < 1) throw new UsageError('--limit is a whole number.');
  const status = values.status as Input<'jobs.list'>['status'];
  const found: Job[] = [];
  for await (const job of iterate(quarry.jobs.list, {
    limit: Math.min(bound, 100),
    ...(status && { status }),
  })) {
    found.push(job);
    if (found.length === bound) break;
  }
  if (wantsJson(values)) return printJson(found);
  for (const job of found) {
    print(`${job.id}  ${job.createdAt}  ${job.status.padEnd(9)}  ${job.operation}`);
  }
}

const commands = { scrape, markdown, screenshot, jobs };

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [name = '', ...rest] = positionals;
  if (values.help) return print(usage);
  if (!Object.hasOwn(commands, name))
    throw new UsageError(name === '' ? 'Give a command.' : `There is no ${name}.`);
  const apiKey = values.key ?? process.env['QUARRY_API_KEY'];
  if (apiKey === undefined) throw new UsageError('Give --key, or set QUARRY_API_KEY.');
  const baseUrl = values.server ?? process.env['QUARRY_URL'] ?? 'http://127.0.0.1:3000';
  const quarry = createQuarry({ baseUrl, apiKey });
  await commands[name as keyof typeof commands](quarry, rest, values);
}

function explain(error: unknown): { text: string; exitCode: number } {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  if (isUsage) return { text: `${(error as Error).message}\n\n${usage}`, exitCode: 2 };
  if (error instanceof QuarryProblem) return { text: error.message, exitCode: 1 };
  const { message, cause } = error as Error;
  return { text: cause instanceof Error ? `${message}: ${cause.message}` : message, exitCode: 1 };
}

// Who reads has enough, e.g. `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

main().catch((error: unknown) => {
  const { text, exitCode } = explain(error);
  process.stderr.write(`${process.stderr.isTTY ? shown(text) : text}\n`);
  process.exitCode = exitCode;
});
