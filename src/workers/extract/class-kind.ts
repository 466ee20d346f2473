/** What a class says of the state of an element, or of its place among its siblings, and nothing of what it is. */
const stateName =
  /^(?:(?:is|has)-)?(?:active|current|selected|open(?:ed)?|expanded|closed?|collapsed|show|shown|in|fade|hidden|hide|odd|even|alt|first|last)$/i;
const longest = 300;

/** What kind of element its classes make it: without what tells of its state, and without numbers (of posts, tabs, days), in order of their names. */
export const classKind = (classes: string | undefined): string =>
  withoutDigits(columnKind(classes)).split(' ').toSorted().join(' ');

/** The same, where a single digit may be that of a column. */
export const columnKind = (classes: string | undefined): string =>
  (classes ?? '')
    .slice(0, longest)
    .replace(/\d{2,}/g, '')
    .split(/\s+/)
    .filter((one) => one !== '' && !stateName.test(one))
    .join(' ');

export const withoutDigits = (kind: string): string => kind.replace(/\d/g, '');
