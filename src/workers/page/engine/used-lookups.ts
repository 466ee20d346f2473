import type { AnyNode, CallExpression } from 'acorn';
import { jqueryMoves } from './script-places.ts';
import { waitsForReader } from './running-code.ts';
import { isFunction, nameOf, objectOf } from './script-tree.ts';

/** Says what an element is looked up for, which is not to write to it. */
const plainUses =
  /^(addClass|attr|bind|blur|click|css|focus|hasClass|height|hide|is|off|offset|on|one|outer(Height|Width)|position|prop|remove|removeAttr|removeClass|scroll(Left|Top|IntoView)?|show|submit|toggleClass|trigger|val|width)$/;

/** Where it answers a value and not the element, by how many arguments it has. */
const answersValue = [
  /^(is|hasClass|height|offset|outer(Height|Width)|position|scroll(Left|Top)|val|width)$/,
  /^(attr|css|is|hasClass|prop)$/,
];

/**
 * What is looked up for what its call says: to listen to it, to show it, to move something there.
 *
 * @param statements calls of which nothing more is done with what they answer.
 */
export function findUsedLookups(
  calls: readonly CallExpression[],
  statements: ReadonlySet<AnyNode>,
): Set<AnyNode> {
  const used = new Set<AnyNode>();
  for (const call of calls) {
    const { callee, arguments: values } = call;
    const name = nameOf(callee) ?? '';
    const object = objectOf(callee);
    const isDone = statements.has(call) || answersValue[values.length]?.test(name);
    // A function that it runs by itself is given the element.
    const isHandedOn = values.some(isFunction) && !waitsForReader(call);
    if (object !== null && plainUses.test(name) && isDone && !isHandedOn) used.add(object);
    if (jqueryMoves.test(name) && values[0] !== undefined) used.add(values[0]);
  }
  return used;
}
