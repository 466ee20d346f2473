import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { countOtherEgressCases, runEgressCases } from './egress.ts';

/** The cases that the project is measured by stand beside its folder. */
const sharedFolder = join(import.meta.dirname, '../../../shared');

try {
  await access(join(sharedFolder, 'cases', 'egress-cases.json'));
} catch {
  console.error(
    `The cases are missing: there is no ${join('..', 'shared', 'cases', 'egress-cases.json')} beside the project.`,
  );
  process.exit(1);
}

const results = await runEgressCases(sharedFolder);
const failed = results.filter((result) => !result.ok);
for (const { id, expected, got } of failed) console.error(`${id}: expected ${expected}, got ${got}`);
const others = Object.entries(await countOtherEgressCases(sharedFolder));
console.log(
  `Egress cases of the kinds url, dns, redirect and raw: ${results.length - failed.length} of ${results.length} as they say.`,
);
console.log(`Not run here: ${others.map(([kind, count]) => `${count} ${kind}`).join(', ')}.`);
console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 && results.length > 0 ? 0 : 1);
