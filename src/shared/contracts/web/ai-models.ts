import { defineOperation } from '../../operation.ts';
import { aiModelsOperation } from '../../schemas/ai-models.ts';

export const webAiModels = defineOperation({
  ...aiModelsOperation,
  id: 'web.ai-models',
  route: { method: 'GET', path: '/api/proxy/web/v1/ai/models' },
});
