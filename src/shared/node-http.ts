/**
 * `node:http`, without `import`: that reads every export of the module, and one of them loads undici, which costs a
 * process some 70 ms at its start. Types come by `import type`; `import { type … }` would load it all the same.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
