import { createHeadReader, type HeadSource, headTags } from './head.ts';
import { scanTags } from './scan-tags.ts';
import { UnseenElements } from './unseen-elements.ts';

/** No other page is looked through for one. */
const mayRefresh = /http-equiv[\s="']{1,50}refresh/i;

export interface RefreshingPage extends HeadSource {
  html: string;
}

/** Whether it is worth looking for a refresh. */
export const mayLeadElsewhere = ({ html, headers }: Pick<RefreshingPage, 'html' | 'headers'>): boolean =>
  headers['refresh'] !== undefined || mayRefresh.test(html);

const tags = new Set([...headTags, 'script', 'body']);
const textIn = new Set<string>();

/** Where a page leads by itself, and whether it runs scripts, which may lead elsewhere before. */
export default function findPageRefresh({ html, ...source }: RefreshingPage) {
  const reader = createHeadReader(source);
  /** Scripts of a declared shadow root run. */
  const inert = new UnseenElements(['template'], []);
  let hasScripts = false;
  scanTags(html, {
    ...reader,
    tags,
    textIn,
    onStartTag(name, attributes) {
      reader.onStartTag(name, attributes);
      inert.start(name, attributes);
      if (inert.inside !== null) return;
      if (name === 'script') hasScripts ||= !/json/i.test(attributes.get('type') ?? '');
      if (name === 'body') hasScripts ||= attributes.has('onload');
    },
    onEndTag(name) {
      reader.onEndTag(name);
      inert.end(name);
    },
  });
  return { target: reader.head().refresh, hasScripts };
}
