import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { type Answer, runCommand } from '../embedded/run-command.ts';
import { withDatabase } from '../embedded/with-database.ts';
import { createDb } from '../shared/db/client.ts';
import { refuseOldSchema } from '../shared/db/refuse-schema.ts';
import { computeAuthority } from './compute-authority.ts';
import { connect, dropDataset } from './dataset-store.ts';
import { nameDataset } from './dataset-name.ts';
import { fileFormats, type ImportKind } from './formats.ts';
import { importFile } from './import-file.ts';
import { SeoError } from './seo-error.ts';

type Client = Awaited<ReturnType<typeof connect>>;
type Options = Record<string, string | boolean | undefined>;

const kinds = Object.keys(fileFormats) as ImportKind[];
const usage = `Usage:
  npm run -s seo -- import KIND FILE [--date DATE] [--release NAME]
      KIND: ${kinds.join(', ')}; FILE as published, packed by gzip or not.
      Started again after a stop, it goes on where it was.
  npm run -s seo -- list
  npm run -s seo -- remove --id ID
  npm run -s seo -- authority       rank the domains of the link index now (a timer does it each day)
Each takes --json.`;

async function runImport(
  client: Client,
  [kindText, path]: readonly string[],
  options: Options,
): Promise<Answer> {
  const kind = kinds.find((one) => one === kindText);
  if (kind === undefined || path === undefined) throw new SeoError(usage);
  const said = {
    date: options['date'] as string | undefined,
    release: options['release'] as string | undefined,
  };
  const bar = new SingleBar({
    format: `${kind} {bar} {percentage}% | {rows} rows | {eta_formatted} left`,
    stream: process.stderr,
    noTTYOutput: false,
  });
  const startedAt = performance.now();
  const result = await importFile(client, {
    kind,
    path,
    ...nameDataset(kind, path, said),
    onProgress({ bytesRead, sizeBytes, rows }) {
      if (!bar.isActive) bar.start(sizeBytes, 0, { rows: 0 });
      bar.update(bytesRead, { rows });
    },
  }).finally(() => bar.stop());
  const seconds = (performance.now() - startedAt) / 1_000;
  const json = { ...result, seconds: Math.round(seconds * 10) / 10 };
  const resumed = result.resumedFrom > 0 ? ` (${result.resumedFrom} of them by an earlier run)` : '';
  return {
    json,
    text: `${result.rows} rows${resumed}, ${result.skipped} other lines left out, in ${json.seconds} s. Data set ${result.id}.`,
  };
}

async function listDatasets(client: Client): Promise<Answer> {
  const { rows } = await client.query<Record<string, unknown>>(
    `select id, kind, name, as_of::text as "asOf", row_count::float8 as "rows",
       finished_at is not null as "isFinished" from seo_datasets order by kind, as_of desc`,
  );
  const lines = rows.map(
    ({ id, kind, name, rows: count, isFinished }) =>
      `${String(id).padStart(5)}  ${String(kind).padEnd(21)} ${String(name).padEnd(28)} ${String(count).padStart(12)} rows${isFinished === true ? '' : '  (half-way: import it again to go on)'}`,
  );
  return { json: { datasets: rows }, text: lines.join('\n') || 'Nothing is imported.' };
}

async function remove(client: Client, options: Options): Promise<Answer> {
  const id = Number(options['id']);
  if (!Number.isInteger(id) || id < 1) throw new SeoError('Say which data set: --id ID, as `list` shows it.');
  const { rowCount } = await client.query('select from seo_datasets where id = $1', [id]);
  if (rowCount === 0) throw new SeoError(`There is no data set ${id}.`);
  await client.query('begin');
  await dropDataset(client, id);
  await client.query('commit');
  return { json: { removed: id }, text: `Data set ${id} is removed.` };
}

async function rankDomains(client: Client): Promise<Answer> {
  const result = await computeAuthority(client);
  if (result === null)
    throw new SeoError(
      'Nothing to rank: the link index has no links between domains, or another process ranks them now.',
    );
  return { json: result, text: `${result.domains} domains ranked by ${result.links} links between them.` };
}

async function run(args: readonly string[]): Promise<Answer> {
  const option = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { date: option, release: option, id: option, json: { type: 'boolean' } },
  });
  const [command, ...rest] = positionals;
  return await withDatabase(process.env, async ({ databaseUrl }) => {
    const db = createDb({ url: databaseUrl, poolSize: 1, onError: () => undefined });
    await refuseOldSchema(db).finally(() => db.destroy());
    await using client = await connect(databaseUrl);
    if (command === 'import') return await runImport(client, rest, values);
    if (command === 'list') return await listDatasets(client);
    if (command === 'remove') return await remove(client, values);
    if (command === 'authority') return await rankDomains(client);
    throw new SeoError(usage);
  });
}

const isUsage = (error: Error) =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
await runCommand(run, (error) => error instanceof SeoError || isUsage(error));
