import type { AnyNode, CallExpression } from 'acorn';
import { jqueryMoves } from './script-places.ts';
import { nameOf, objectOf } from './script-tree.ts';

/** Says what an element is looked up for, which is not to write to it. */
const plainUses =
  /^(addClass|attr|bind|blur|click|css|focus|hasClass|height|hide|is|off|offset|on|one|outer(Height|Width)|position|prop|remove|removeAttr|removeClass|scroll(Left|Top|IntoView)?|show|submit|toggleClass|trigger|val|width)$/;

/**
 * What is looked up for what its call says: to listen to it, to show it, to move something there.
 *
 * @param kept values that have a name, by which more may be done with them.
 */
export function findUsedLookups(calls: readonly CallExpression[], kept: ReadonlySet<AnyNode>): Set<AnyNode> {
  const used = new Set<AnyNode>();
  const goesOn = new Set(calls.map(({ callee }) => objectOf(callee)));
  for (const call of calls) {
    const { callee, arguments: values } = call;
    const name = nameOf(callee) ?? '';
    const object = objectOf(callee);
    if (object !== null && plainUses.test(name) && !goesOn.has(call) && !kept.has(call)) used.add(object);
    if (jqueryMoves.test(name) && values[0] !== undefined) used.add(values[0]);
  }
  return used;
}
