import type { Next } from 'koa';
import { AppError } from '../../shared/errors.ts';
import type { ApiContext } from './context.ts';

/** A name, an IPv4 address or an IPv6 one in brackets, and perhaps a port. */
const host = /^([\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(:\d*)?$/i;

/** @param rawHeaders a name, its value, the next name, and so on. `headers` has only the first of several; `headersDistinct` would gather them all. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** RFC 9112, 3.2: no Host, or one that is none; it would stand in the links of answers. @throws AppError `invalid_request` */
export async function refuseBrokenHost(ctx: ApiContext, next: Next): Promise<void> {
  const given = ctx.get('Host');
  if (hasTwoHosts(ctx.req.rawHeaders)) {
    throw new AppError('invalid_request', 'The request has more than one Host header. Send one.');
  }
  if (given === '' && ctx.req.httpVersion === '1.1') {
    throw new AppError('invalid_request', 'The request has no Host header, which HTTP/1.1 demands.');
  }
  if (given !== '' && !host.test(given)) {
    throw new AppError(
      'invalid_request',
      'The Host header names no host. Send a name or an address, and a port.',
    );
  }
  await next();
}
