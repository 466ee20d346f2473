/** A link as this page may load it: of this service, which may call itself by another name. */
export const ownPath = (url: string): string => {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
};
