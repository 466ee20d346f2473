import { videoAiModels } from '../../../shared/contracts/video/ai-models.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(videoAiModels, async ({ deps }) => ({ models: await deps.models.list() }));
