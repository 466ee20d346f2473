import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { CaseResult, EgressCase } from './egress.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'egress-page-main.ts');
const linkLocal = '169.254.169.254';
const device = 'leak0';

/**
 * A namespace whose only ways are loopback, where the canaries stand, and a device that leads nowhere and
 * counts what is sent by it.
 */
const setUp = [
  'ip link set lo up',
  // The kernel's own IPv6 discovery would be counted. Not every machine lets it be switched off as a whole.
  '{ echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6; } 2>/dev/null || true',
  `ip addr add ${linkLocal}/32 dev lo`,
  `ip link add ${device} type veth peer name leak1`,
  `ip link set leak1 addrgenmode none up && ip link set ${device} addrgenmode none arp off up`,
  `ip addr add 198.51.100.2/24 dev ${device}`,
  `ip route add default via 198.51.100.1`,
  `ip route add 224.0.0.0/4 dev ${device}`,
].join(' && ');

export interface PageRun {
  results: CaseResult[];
  /** Whether packets were counted too, or the canaries alone. */
  countsPackets: boolean;
}

/** Runs the egress cases of kind page: every leak that a page can try. */
export async function runEgressPages(cases: readonly EgressCase[]): Promise<PageRun> {
  const vectors = new Map<string, EgressCase>();
  for (const given of cases) if (given.input.kind === 'page') vectors.set(given.input.vector, given);
  const answer = await runApart([...vectors.keys()]);
  const results = [...vectors].map(([vector, { id, reason }]) => {
    const got = answer.results[vector] ?? 'not run';
    return { id, ok: got === reason, expected: `${reason}, nothing reached`, got };
  });
  return { results, countsPackets: answer.countsPackets };
}

async function runApart(
  vectors: string[],
): Promise<{ results: Record<string, string>; countsPackets: boolean }> {
  const limits = { timeout: 120_000, maxBuffer: 10_000_000 };
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program];
  try {
    const input = JSON.stringify({ vectors, linkLocal, device });
    const script = `${setUp} && exec "$@"`;
    const { stdout } = await run('unshare', ['-n', 'sh', '-c', script, 'sh', ...node, input], limits);
    return JSON.parse(stdout) as { results: Record<string, string>; countsPackets: boolean };
  } catch {
    const input = JSON.stringify({ vectors, linkLocal: null, device: null });
    const [command = '', ...args] = [...node, input];
    const { stdout } = await run(command, args, limits);
    return JSON.parse(stdout) as { results: Record<string, string>; countsPackets: boolean };
  }
}
