import { webAiModels } from '../../../shared/contracts/web/ai-models.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(webAiModels, async ({ deps }) => ({ models: await deps.models.list() }));
