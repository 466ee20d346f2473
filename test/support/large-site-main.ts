/** The large site in a process of its own, so that its work is not the crawler's: tells its origin, and its requests when asked. */
import { startLargeSite } from './large-site.ts';

const [pages = 2_000, answerMs = 0] = process.argv.slice(2).map(Number);
const site = await startLargeSite(pages, answerMs);
process.on('message', () => {
  const requests = [...site.requests].flatMap(([path, count]) => Array<string>(count).fill(path));
  site.requests.clear();
  process.send?.({ requests });
});
process.on('disconnect', () => process.exit());
process.send?.({ origin: site.origin });
