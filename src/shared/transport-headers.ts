/** They belong to one connection or to the framing of a message (RFC 9110, section 7.6.1), not to a caller. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Lower-case names that nobody but the door sets on a request to a target. */
export const transportHeaders: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  'content-length',
  'expect',
  'host',
]);
