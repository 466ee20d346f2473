/** The large site in a process of its own, so that its work is not the crawler's: tells its origin, and its requests when asked. */
import { startLargeSite } from './large-site.ts';

const [pages = 2_000, answerMs = 0] = process.argv.slice(2).map(Number);
const site = await startLargeSite(pages, answerMs);
const count = () => [...site.requests.values()].reduce((sum, one) => sum + one, 0);
process.on('message', () => process.send?.({ requests: count() }));
process.on('disconnect', () => process.exit());
process.send?.({ origin: site.origin });
