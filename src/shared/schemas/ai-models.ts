import { z } from 'zod';

/** The answer of `GET /ai/models`, in both proxies. */
export const aiModels = z.object({
  models: z.array(
    z.object({
      id: z.string().describe('What `model` of a request takes.'),
      name: z.string().describe('As its provider knows it.'),
      provider: z.string(),
      contextLength: z
        .int()
        .nullable()
        .describe(
          'Tokens of prompt and answer together; null where the operator has not said and it is not known.',
        ),
      default: z.boolean(),
      available: z
        .boolean()
        .describe('Its provider answered lately, and knows it where it lists its models.'),
      local: z.boolean().describe('Content does not leave the network of the operator.'),
    }),
  ),
});

/** What both operations have in common, to be spread into `defineOperation`. */
export const aiModelsOperation = {
  summary: 'Models',
  description:
    'The models that summaries can be made with, and which are available now: each provider is asked at most once a minute. `quarry/extractive` is built in and always there: it chooses the sentences that say most, in place of writing.',
  access: ['key', 'session'],
  input: z.strictObject({}),
  output: aiModels,
  errors: [],
} as const;
