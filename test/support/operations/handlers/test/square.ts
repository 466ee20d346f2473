import { defineHandler } from '../../../../../src/workers/handler.ts';
import { square } from '../../contracts/test/square.ts';

export default defineHandler(square, async ({ number }) => ({ number }));
