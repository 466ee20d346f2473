import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { PassThrough } from 'node:stream';
import { createGzip } from 'node:zlib';

/** Files as they are published, made up: their formats are real, their numbers are not. */

async function writeFile(path: string, lines: Iterable<string>): Promise<void> {
  const source = new PassThrough({ highWaterMark: 1_048_576 });
  const gzip = path.endsWith('.gz') ? [createGzip({ level: 1 })] : [];
  const written = pipeline([source, ...gzip, createWriteStream(path)]);
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 262_144) continue;
    if (!source.write(text)) await once(source, 'drain');
    text = '';
  }
  source.end(text);
  await written;
}

const suffixes = ['com', 'org', 'net', 'de', 'co.uk', 'fr', 'io', 'com.br'];
/** Names of varied length, each once; in no order, as on the lists. */
function domainOf(n: number): string {
  const mixed = (Math.imul(n, 0x9e3779b1) >>> 0).toString(36);
  return `${mixed}${n.toString(36)}${n % 3 === 0 ? '-shop' : ''}.${suffixes[n % suffixes.length]}`;
}
const reversed = (domain: string) => domain.split('.').toReversed().join('.');

/** `rank,domain` with the line ends of the published lists. */
export async function writeTranco(path: string, domains: Iterable<string>): Promise<void> {
  await writeFile(
    path,
    (function* () {
      let rank = 0;
      for (const domain of domains) yield `${++rank},${domain}\r\n`;
    })(),
  );
}

/** Ordered by harmonic centrality, under a header. */
export async function writeCommonCrawlRanks(path: string, domains: Iterable<string>): Promise<void> {
  await writeFile(
    path,
    (function* () {
      yield '#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts\n';
      let position = 0;
      for (const domain of domains) {
        position++;
        const harmonic = (3e7 / Math.sqrt(position)).toFixed(1);
        yield `${position}\t${harmonic}\t${position + (position % 7)}\t${0.02 / position}\t${reversed(domain)}\t${1 + (position % 50)}\n`;
      }
    })(),
  );
}

/** Both files of a domain-level graph. */
export async function writeCommonCrawlGraph(
  paths: { vertices: string; edges: string },
  domains: readonly string[],
  links: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  const names = domains.map(reversed).sort();
  const idOf = new Map(names.map((name, id) => [name, id]));
  await writeFile(
    paths.vertices,
    names.map((name, id) => `${id}\t${name}\t${1 + (id % 9)}\n`),
  );
  const edges = links.map(
    ([from, to]) => [idOf.get(reversed(from)) ?? -1, idOf.get(reversed(to)) ?? -1] as const,
  );
  edges.sort(([a, b], [c, d]) => a - c || b - d);
  await writeFile(
    paths.edges,
    edges.map(([from, to]) => `${from}\t${to}\n`),
  );
}

export function* domainsOf(count: number): Generator<string> {
  for (let n = 1; n <= count; n++) yield domainOf(n);
}
