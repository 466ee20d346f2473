import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type CaseResult, readEgressCases, runEgressCases } from './egress.ts';
import { runEgressPages } from './egress-page.ts';
import { runHostilePages, withHostileService } from './hostile.ts';
import { runMediaCases } from './media.ts';
import { runVideoCases } from './video.ts';
import { runSurfaces } from './surface.ts';

/** The cases that the project is measured by stand beside its folder. */
const sharedFolder = join(import.meta.dirname, '../../../shared');
/** `npm run conformance -- redirect-loop not-http` runs those hostile pages alone. */
const only = process.argv.slice(2);

try {
  await access(join(sharedFolder, 'cases', 'egress-cases.json'));
} catch {
  console.error(
    `The cases are missing: there is no ${join('..', 'shared', 'cases', 'egress-cases.json')} beside the project.`,
  );
  process.exit(1);
}

const all: CaseResult[] = [];

function report(what: string, results: CaseResult[]): void {
  all.push(...results);
  for (const { id, ok, expected, got } of results) {
    if (!ok) console.error(`${id}: expected ${expected}, got ${got}`);
  }
  console.log(`${what}: ${results.filter(({ ok }) => ok).length} of ${results.length} as they say.`);
}

const cases = await readEgressCases(sharedFolder);
if (only.length === 0) {
  report('Egress cases of the kinds url, dns, redirect and raw', await runEgressCases(cases));
  const { results, countsPackets } = await runEgressPages(cases);
  const measure = countsPackets ? 'canaries and a packet count' : 'canaries on loopback alone';
  report(`Egress cases of the kind page, by ${measure}`, results);
  const media = await runMediaCases(cases);
  report(`Egress cases of the kind media, by ${media.programs.join(' and ')}`, media.results);
  if (media.engine.length > 0) report('Pages that yt-dlp knows', media.engine);
  report('Recorded answers of video platforms', await runVideoCases(sharedFolder));
  for (const cause of media.notRun) console.log(`Not run: ${cause}`);
}
await withHostileService(async (context) => {
  if (only.length === 0) report('Egress cases of the kind surface', await runSurfaces(cases, context));
  report('Hostile pages', await runHostilePages(sharedFolder, context, only));
});
const failed = all.filter(({ ok }) => !ok);
console.log(`${all.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 && all.length > 0 ? 0 : 1);
