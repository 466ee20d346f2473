import type { AnyNode, AssignmentExpression, CallExpression } from 'acorn';
import { type Known, lookupOf, resolve } from './script-places.ts';
import { nameOf, objectOf, rootOf, textOf } from './script-tree.ts';
import { isRefreshMarkup } from './written-value.ts';

const locationOwners = new Set(['window', 'document', 'self', 'top', 'parent', 'globalThis']);

/** `location`, `window.location`, `location.href`. */
export function isLocation(node: AnyNode): boolean {
  if (node.type === 'Identifier') return node.name === 'location';
  const object = objectOf(node);
  const name = nameOf(node);
  if (object === null) return false;
  if (name === 'location') return object.type === 'Identifier' && locationOwners.has(object.name);
  return (name === 'href' || name === 'search') && nameOf(object) === 'location' && isLocation(object);
}

/** `top.location = self.location`: out of a frame, to where the page is already. */
export function leavesFrame({ left, right }: AssignmentExpression): boolean {
  return isLocation(right) && /^(top|parent)$/.test(rootOf(left) ?? '');
}

export function isLeaving(call: CallExpression): boolean {
  const { callee, arguments: values } = call;
  const object = objectOf(callee);
  const name = nameOf(callee) ?? '';
  if (name === 'open' && (object === null || nameOf(object) === 'window'))
    return /^_(self|top|parent)$/.test(textOf(values[1]) ?? '');
  if (object === null) return false;
  if (isWriting(call)) return values.some(isRefreshMarkup);
  if (/^(replace|assign|reload)$/.test(name)) return nameOf(object) === 'location' && isLocation(object);
  return name === 'navigate' && nameOf(object) === 'navigation';
}

/** Sends a form that stands in the page: `document.getElementById('next').submit()`, `document.next.submit()`. */
export function submits({ callee, arguments: values }: CallExpression, known: Known): boolean {
  const object = objectOf(callee);
  if (nameOf(callee) !== 'submit' || object === null || values.length > 0) return false;
  const form = resolve(object, known);
  if (form?.type === 'CallExpression') return lookupOf(form, known.aliases) !== null;
  return form?.type === 'MemberExpression' && rootOf(form) === 'document';
}

export const isWriting = ({ callee }: CallExpression): boolean => {
  const object = objectOf(callee);
  return (
    /^write(ln)?$/.test(nameOf(callee) ?? '') && object?.type === 'Identifier' && object.name === 'document'
  );
};
