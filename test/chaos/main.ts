import { parseArgs } from 'node:util';
import { findRedisServer, type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';
import { held, runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    // 3: masters; 6: a replica for each.
    'redis-nodes': { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const seconds = Number(values.seconds);
const nodes = Number(values['redis-nodes']);
if (!Number.isSafeInteger(seed) || !(seconds >= 5 && seconds <= 600) || ![1, 3, 6].includes(nodes)) {
  console.error(
    'Usage: npm run chaos [-- --seed S --seconds N --redis-nodes 1|3|6]   S a whole number, N from 5 to 600; ' +
      '3: a Redis Cluster, 6: with replicas',
  );
  process.exit(2);
}
if (nodes > 1 && findRedisServer() === null) {
  console.error('A Redis Cluster needs a redis-server on PATH (Debian: apt-get install redis-server)');
  process.exit(2);
}

// The instance is a process of its own, which would go on without us.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

console.log(`Chaos for ${seconds} s with seed ${seed} …`);
const cluster: RedisCluster | null =
  nodes === 1 ? null : await startRedisCluster({ masters: 3, replicas: nodes === 6 });
const report = await runChaos(seed, seconds, { stopping: stopping.signal, cluster }).catch(
  async (error: unknown) => {
    await cluster?.[Symbol.asyncDispose]();
    if (!stopping.signal.aborted) throw error;
    process.exit(130);
  },
);
await cluster?.[Symbol.asyncDispose]();
console.log(
  `on ${report.redis}, faults: ${Object.entries(report.faults)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ')}`,
);
console.log(
  `requests without a promise: ${
    Object.entries(report.refused)
      .map(([what, count]) => `${count} × ${what}`)
      .join(', ') || 'none'
  }`,
);
console.log(
  `promised ${report.promised}, succeeded ${report.succeeded}, lost ${report.lost.length}, doubled ${report.doubled}, ` +
    `stuck ${report.stuck.length}, events out of order ${report.disordered.length}, given up ${report.givenUp}, worst delay ${(report.worstDelayMs / 1_000).toFixed(1)} s`,
);
for (const id of [...report.lost, ...report.stuck, ...report.disordered]) console.log(`  ${id}`);
process.exit(held(report) ? 0 : 1);
