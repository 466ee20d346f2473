export { createQuarry, type Quarry, type QuarryOptions } from './client.js';
export { iterate } from './iterate.js';
export { type ProblemDetails, QuarryProblem } from './problem.js';
export type { ErrorCode } from './generated/routes.js';
export type { components } from './generated/schema.js';
export type { CallOptions, Input, Job, Meta, OperationId, Output } from './types.js';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhook.js';
