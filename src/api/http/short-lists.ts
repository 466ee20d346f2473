import type { Next } from 'koa';
import type { ApiContext } from './context.ts';

const lists = ['accept', 'accept-encoding'] as const;
/** Longer ones are looked at: no client that is not hostile sends so much. */
const usualLength = 1_024;
const mostEntries = 32;
/** Of a longer one the parameters are left out, each of which would be read again for every form that there is. */
const longestEntry = 200;

/** Cuts lists of what a client takes: each is gone through once for each form that there is, thousands of entries take long. */
export function shortenLists(ctx: ApiContext, next: Next): Promise<unknown> {
  const { headers } = ctx.req;
  for (const name of lists) {
    const list = headers[name];
    if (list !== undefined && list.length > usualLength)
      headers[name] = list
        .split(',', mostEntries)
        .map((entry) =>
          entry.length <= longestEntry ? entry : (entry.slice(0, longestEntry).split(';')[0] ?? ''),
        )
        .join(',');
  }
  return next();
}
