import type { ApiDeps } from '../deps.ts';
import { addressOf } from '../http/authenticate.ts';
import type { ApiContext } from '../http/context.ts';
import type { Requester } from '../user-gate.ts';
import { networkOf } from './client-address.ts';

/** Who asks from there, before it is known who that is. One for each thing that is asked. */
export const networkRequester = (
  what: 'sign-in' | 'session' | 'file',
  ctx: ApiContext,
  deps: Pick<ApiDeps, 'findClientAddress'>,
): Requester => ({ caller: `${what} from ${networkOf(addressOf(ctx, deps))}`, by: 'network' });
