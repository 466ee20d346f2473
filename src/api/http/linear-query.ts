import type Koa from 'koa';

/**
 * As Koa reads a query, in time in proportion to it: Koa looks through all of it for each name, 3 s of a URL of 14 KB.
 * @returns a list for what is said more than once.
 */
export function parseQuery(text: string): Record<string, string | string[]> {
  const query = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = query.get(name);
    if (known === undefined) query.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else query.set(name, [known, value]);
  }
  return Object.fromEntries(query);
}

export function readQueriesInLinearTime(app: Pick<Koa, 'request'>): void {
  const parsed = new WeakMap<Koa.Request, { text: string; query: Record<string, string | string[]> }>();
  Object.defineProperty(app.request, 'query', {
    get(this: Koa.Request) {
      const text = this.querystring;
      const known = parsed.get(this);
      if (known?.text === text) return known.query;
      const query = parseQuery(text);
      parsed.set(this, { text, query });
      return query;
    },
  });
}
