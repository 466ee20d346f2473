import { startSite } from '../support/site.ts';

/**
 * The other user with a site of its own: a process apart, so that what the attacks and their site take of an event loop
 * is not measured as time of the service. Started with the service's address and a key; each message asks once.
 */
export type VictimReply = { ms: number } | { failure: string };

const [service, key] = process.argv.slice(2);
const site = await startSite();
let asked = 0;

async function ask(): Promise<VictimReply> {
  asked += 1;
  const start = performance.now();
  try {
    const answer = await fetch(`${service}/api/proxy/web/v1/scrape`, {
      method: 'POST',
      headers: { 'X-API-Key': key ?? '', 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `${site.origin}/article?victim=${asked}`, render: 'http' }),
    });
    const text = await answer.text();
    if (answer.status === 200 && text.includes('How slate is split'))
      return { ms: performance.now() - start };
    return { failure: `${answer.status} ${text.slice(0, 200)}` };
  } catch (error) {
    return { failure: String(error) };
  }
}

process.on('message', () => void ask().then((reply) => process.send?.(reply)));
process.on('disconnect', () => process.exit());
