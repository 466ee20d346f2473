import { defineHandler } from '../../../../../src/api/handler.ts';
import { greet } from '../../contracts/test/greet.ts';

export default defineHandler(greet, async ({ input }) => ({ greeting: `Good morning, ${input.name}.` }));
