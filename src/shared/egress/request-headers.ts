import { connectionHeaders, transportHeaders } from '../transport-headers.ts';
import { EgressError } from './egress-error.ts';

/** Lower-cases a caller's header names. @throws EgressError `invalid_request` for one that the door must set itself. */
export function sendableHeaders(headers: Record<string, string> = {}): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const own = entries.find(([name]) => transportHeaders.has(name));
  if (own) {
    const detail = `The header ${own[0]} belongs to the connection and cannot be set. Leave it out.`;
    throw new EgressError('invalid_request', detail, 'refused', 'parse');
  }
  return Object.fromEntries(entries);
}

/** Lower-case names; repeated headers joined by ", " (set-cookie by newline). */
export function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of headerPairs(rawHeaders)) {
    const key = name.toLowerCase();
    const known = joined.get(key);
    joined.set(key, known === undefined ? value : `${known}${key === 'set-cookie' ? '\n' : ', '}${value}`);
  }
  return Object.fromEntries(joined);
}

/** What a proxy may pass on: all but the headers of this connection and those that `Connection` names. */
export function forwardableHeaders(
  rawHeaders: readonly string[],
  alsoDropped: readonly string[] = [],
): string[] {
  const pairs = headerPairs(rawHeaders);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((token) => token.trim()),
    );
  const dropped = new Set([...connectionHeaders, ...named, ...alsoDropped]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

function headerPairs(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    pairs.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']);
  return pairs;
}
