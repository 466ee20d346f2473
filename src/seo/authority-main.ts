import { readDatabaseUrl } from '../shared/config.ts';
import { computeAuthority } from './compute-authority.ts';
import { connect } from './dataset-store.ts';

/**
 * A process of its own, started by the timer of a worker: ranking millions of domains would hold its event loop. Its
 * argument says how old the last ranks must be, in milliseconds.
 */
// Whoever started it is gone: nobody waits for the result.
const giveUp = () => process.exit(1);
process.on('disconnect', giveUp);
await using client = await connect(readDatabaseUrl());
const result = await computeAuthority(client, Number(process.argv[2]));
process.send?.(result ?? null);
process.off('disconnect', giveUp);
process.disconnect?.();
