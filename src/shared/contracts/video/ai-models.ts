import { defineOperation } from '../../operation.ts';
import { aiModelsOperation } from '../../schemas/ai-models.ts';

export const videoAiModels = defineOperation({
  ...aiModelsOperation,
  id: 'video.ai-models',
  route: { method: 'GET', path: '/api/proxy/video/v1/ai/models' },
});
