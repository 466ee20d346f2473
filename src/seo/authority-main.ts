import { computeAuthority } from './compute-authority.ts';
import { connect } from './dataset-store.ts';

/** A process of its own, started by the timer of a worker: ranking millions of domains would hold its event loop. */
const databaseUrl = process.env['DATABASE_URL'] ?? '';
// Whoever started it is gone: nobody waits for the result.
process.on('disconnect', () => process.exit(1));
await using client = await connect(databaseUrl);
const result = await computeAuthority(client);
process.send?.(result ?? null);
process.disconnect?.();
