/** A fragment is no part of a page's address. */
export const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? '';
