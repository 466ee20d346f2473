import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { findBreakingChanges } from './breaking-changes.ts';
import { readContracts, readSnapshot, snapshotFile } from './snapshot.ts';

/** Records the contracts as they are now; refuses where a client of the recorded ones would stumble, or a reader of what is stored. */
const { values } = parseArgs({ options: { 'accept-breaking': { type: 'boolean', default: false } } });
const contracts = await readContracts();
const changes = findBreakingChanges(await readSnapshot(), contracts);
for (const change of changes) console.log(change);
if (changes.length > 0 && !values['accept-breaking']) {
  console.log(
    'These break clients, or results that are stored. Mend them, or record them with --accept-breaking and say so in the changelog.',
  );
  process.exit(1);
}
await writeFile(snapshotFile, await format(JSON.stringify(contracts), { parser: 'json', printWidth: 110 }));
console.log(`${Object.keys(contracts).length} contracts recorded`);
