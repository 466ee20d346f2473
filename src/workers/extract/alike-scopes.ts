import { withoutDigits } from './class-kind.ts';

interface Sibling<Scope> {
  tag: string;
  kind: string;
  parent: Scope | null;
  alike: readonly Scope[];
}

/** Tells each scope which of its siblings are like it: the items of a list, the cards of a grid, the posts of a thread. */
export function findAlike<Scope extends Sibling<Scope>>(scopes: readonly Scope[]): void {
  const groups = new Map<Scope | null, Map<string, Scope[]>>();
  for (const scope of scopes) {
    let byKind = groups.get(scope.parent);
    if (byKind === undefined) groups.set(scope.parent, (byKind = new Map()));
    const [name = ''] = scope.kind.split(' ', 1);
    const kind = `${scope.tag}.${withoutDigits(name)}`;
    const same = byKind.get(kind);
    if (same === undefined) byKind.set(kind, [scope]);
    else same.push(scope);
  }
  for (const byKind of groups.values()) {
    for (const same of byKind.values()) for (const scope of same) scope.alike = same;
  }
}
