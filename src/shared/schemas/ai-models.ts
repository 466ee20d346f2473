import { z } from 'zod';

/** The answer of `GET /ai/models`, in both proxies. */
export const aiModels = z.object({
  models: z.array(
    z.object({
      id: z.string().describe('The value for `model` in a request.'),
      name: z.string().describe('The name that the provider uses.'),
      provider: z.string(),
      contextLength: z
        .int()
        .nullable()
        .describe('Tokens of prompt and answer together; null when it is neither configured nor known.'),
      default: z.boolean(),
      available: z
        .boolean()
        .describe('True if the provider answered recently and, if it lists its models, lists this one.'),
      local: z.boolean().describe('True if content does not leave the network of the operator.'),
    }),
  ),
});

/** What both operations have in common, to be spread into `defineOperation`. */
export const aiModelsOperation = {
  summary: 'Models',
  description:
    'The models that summaries can be made with, and which are available now: each provider is asked at most once a minute. `quarry/extractive` is built in and always available: instead of writing, it chooses the sentences that say most.',
  access: ['key', 'session'],
  input: z.strictObject({}),
  output: aiModels,
  errors: [],
} as const;
