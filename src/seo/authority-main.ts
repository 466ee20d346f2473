import { readDatabaseUrl } from '../shared/config.ts';
import { computeAuthority } from './compute-authority.ts';
import { connect } from './dataset-store.ts';

/** A process of its own, started by the timer of a worker: ranking millions of domains would hold its event loop. */
// Whoever started it is gone: nobody waits for the result.
process.on('disconnect', () => process.exit(1));
await using client = await connect(readDatabaseUrl());
const result = await computeAuthority(client);
process.send?.(result ?? null);
process.disconnect?.();
