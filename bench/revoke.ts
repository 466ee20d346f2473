import { startApiCluster } from '../test/support/api-cluster.ts';
import { hammerRevokes } from '../test/support/revoke-hammer.ts';
import { signIn } from '../test/support/session.ts';
import { tellFigure } from './figures.ts';

/** 200 revokes while 32 connections use the keys on four API processes. The last figure must be 0. */
await using cluster = await startApiCluster({ processes: 4, env: { NODE_ENV: 'production' } });
const password = 'correct horse battery';
const owner = await cluster.createKey(1_000, password);
const cookie = await signIn(owner.email, password, cluster.apis[0]?.url ?? '');
const { accepted, refused, acceptedAfterRevoke, rate } = await hammerRevokes(
  cluster,
  { userId: owner.userId, cookie },
  { revokes: 200, connections: 32 },
);
tellFigure({ what: 'requests beside 200 revokes', value: rate, unit: '/s' });
tellFigure({ what: 'accepted after the revoke', value: acceptedAfterRevoke, unit: '' });
console.log('200 revokes, 32 connections, 4 API processes');
console.log(`  requests a second                  ${rate.toFixed(0)}`);
console.log(`  accepted before, refused after     ${accepted}, ${refused}`);
console.log(`  accepted after the revoke's 200    ${acceptedAfterRevoke}`);
if (acceptedAfterRevoke > 0) process.exitCode = 1;
