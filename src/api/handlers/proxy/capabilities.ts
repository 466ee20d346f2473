import { capabilities } from '../../../shared/contracts/proxy/capabilities.ts';
import { listCapabilities } from '../../capabilities.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(capabilities, async ({ deps }) => ({
  operations: await listCapabilities(deps),
}));
