import type { Evidence } from '../../../shared/schemas/review.ts';
import { plain } from './plain-text.ts';

const mostRead = 200;
const mostText = 300;

type Item = Record<string, unknown>;

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null;
const cut = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, mostText) : null;
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== ''
    ? plain(value.slice(0, mostRead * 10)).text.slice(0, mostText)
    : null;

/** What an audit's details name: elements, addresses, and what was found of each. */
export function readEvidence(details: unknown): { list: Evidence[]; total: number } {
  const items = listItems(details);
  const list = items.slice(0, mostRead).flatMap((item) => readItem(item) ?? []);
  return { list, total: list.length + Math.max(0, items.length - mostRead) };
}

/** Insights hold several tables, each with items of its own. */
function listItems(details: unknown): Item[] {
  if (!isItem(details)) return [];
  const items = details['items'];
  const own = Array.isArray(items) ? items.filter(isItem) : [];
  return own.flatMap((item) => {
    const nested = isItem(item['value']) && Array.isArray(item['value']['items']) ? item['value'] : item;
    return Array.isArray(nested['items']) ? listItems(nested) : [item];
  });
}

function readItem(item: Item): Evidence | null {
  const node = findNode(item);
  const url = findUrl(item);
  const value = findValue(item, node);
  if (node === null && url === null && value === null) return null;
  return {
    element: cut(node?.['snippet']),
    selector: cut(node?.['selector']),
    url,
    value,
  };
}

function findNode(item: Item): Item | null {
  const candidates = [item, item['node'], item['element'], item['source']];
  const node = candidates.find((one) => isItem(one) && one['type'] === 'node');
  return isItem(node) ? node : null;
}

function findUrl(item: Item): string | null {
  for (const name of ['url', 'href', 'source', 'scriptUrl', 'sourceLocation']) {
    const value = item[name];
    if (typeof value === 'string' && /^https?:/.test(value)) return value.slice(0, 2_000);
    if (isItem(value) && typeof value['url'] === 'string') return value['url'].slice(0, 2_000);
  }
  return null;
}

const units: readonly [string, (value: number) => string][] = [
  ['wastedMs', (value) => `${Math.round(value)} ms could be saved`],
  ['wastedBytes', (value) => `${Math.round(value / 1024)} KiB could be saved`],
  ['score', (value) => `shift of ${value.toFixed(3)}`],
  ['duration', (value) => `${Math.round(value)} ms`],
  ['total', (value) => `${Math.round(value)} ms`],
  ['totalBytes', (value) => `${Math.round(value / 1024)} KiB`],
];

function findValue(item: Item, node: Item | null): string | null {
  const explanation = textOf(node?.['explanation']);
  if (explanation !== null) return explanation.replaceAll(/\s+/g, ' ');
  for (const [name, write] of units) {
    const value = item[name];
    if (typeof value === 'number' && value > 0) return write(value);
  }
  for (const name of [
    'description',
    'reason',
    'label',
    'issueType',
    'value',
    'text',
    'message',
    'linkText',
  ]) {
    const value = item[name];
    if (typeof value === 'number') return String(value);
    const text = textOf(value) ?? (isItem(value) ? textOf(value['value']) : null);
    if (text !== null) return text;
  }
  return null;
}
