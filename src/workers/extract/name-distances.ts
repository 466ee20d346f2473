import type { Scope } from './blocks.ts';
import { groupNames } from './class-words.ts';

export const distanceTags =
  'article main section aside header footer nav form li table td figure figcaption blockquote dl details tbody p'.split(
    ' ',
  );
export const far = 15;

/** For each scope, how many scopes up the next one stands that a word group names, or that has a tag. */
export function distancesOf(scopes: readonly Scope[]): {
  groups: Map<Scope, Uint8Array>;
  tags: Map<Scope, Uint8Array>;
} {
  const groups = new Map<Scope, Uint8Array>();
  const tags = new Map<Scope, Uint8Array>();
  for (const scope of scopes) {
    const parentGroups = scope.parent && groups.get(scope.parent);
    const parentTags = scope.parent && tags.get(scope.parent);
    const own = new Uint8Array(groupNames.length);
    for (let g = 0; g < own.length; g++) {
      own[g] = scope.names & (1 << g) ? 0 : Math.min(far, (parentGroups?.[g] ?? far) + 1);
    }
    const role = scope.element.attribs['role'];
    const ownTags = new Uint8Array(distanceTags.length);
    for (let t = 0; t < ownTags.length; t++) {
      const tag = distanceTags[t];
      const isOne =
        scope.tag === tag ||
        (tag === 'main' && role === 'main') ||
        (tag === 'nav' && role === 'navigation') ||
        (tag === 'footer' && role === 'contentinfo') ||
        (tag === 'aside' && role === 'complementary') ||
        (tag === 'article' && role === 'article') ||
        (tag === 'header' && role === 'banner');
      ownTags[t] = isOne ? 0 : Math.min(far, (parentTags?.[t] ?? far) + 1);
    }
    groups.set(scope, own);
    tags.set(scope, ownTags);
  }
  return { groups, tags };
}
