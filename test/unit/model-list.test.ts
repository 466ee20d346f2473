import { expect, it } from 'vitest';
import { createModelAvailability } from '../../src/api/model-availability.ts';
import type { AiSettings } from '../../src/shared/ai/ai-settings.ts';
import { extractiveModelId, parseModelList } from '../../src/shared/ai/model-list.ts';
import type { EgressDoor } from '../../src/shared/egress/types.ts';

it('reads models by provider and name, with what is known of their context', () => {
  expect(
    parseModelList(['openai/gpt-5-mini', 'compatible/llama3.1:8b', 'compatible/org/model@32768']),
  ).toEqual([
    { id: 'openai/gpt-5-mini', name: 'gpt-5-mini', provider: 'openai', contextTokens: 400_000 },
    { id: 'compatible/llama3.1:8b', name: 'llama3.1:8b', provider: 'compatible', contextTokens: null },
    { id: 'compatible/org/model', name: 'org/model', provider: 'compatible', contextTokens: 32_768 },
  ]);
});

it.each(['gpt-5', 'mistral/large', 'openai/', 'openai/a b', 'compatible/small@1000'])(
  'names an entry that it cannot read: %s',
  (entry) => {
    expect(() => parseModelList([entry])).toThrow(`"${entry}"`);
  },
);

async function availableOf(
  names: readonly string[],
  answer: { status: number; list?: unknown },
): Promise<string[]> {
  const lease = {
    fetch: async () => ({ status: answer.status, body: Buffer.from(JSON.stringify(answer.list ?? {})) }),
    async [Symbol.asyncDispose]() {},
  };
  const provider = {
    name: 'compatible',
    baseUrl: 'http://localhost/v1',
    apiKey: null,
    speaksChatCompletions: true,
  };
  const availability = createModelAvailability(
    {
      models: parseModelList(names.map((name) => `compatible/${name}`)),
      providers: { compatible: provider },
      defaultModelId: extractiveModelId,
    } as unknown as AiSettings,
    { openLease: () => lease } as unknown as EgressDoor,
  );
  const models = await availability.list();
  return models.flatMap(({ name, provider: of, available }) =>
    available && of === 'compatible' ? name : [],
  );
}

it('is available where its provider lists it with a date or a tag', async () => {
  const data = ['claude-sonnet-4-5-20250929', 'llama3:latest'].map((id) => ({ id }));
  const names = ['claude-sonnet-4-5', 'claude-sonnet-4-5-latest', 'llama3', 'claude-sonnet-4', 'claude'];
  expect(await availableOf(names, { status: 200, list: { data } })).toEqual([
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-latest',
    'llama3',
  ]);
});

it('is available where its server lists all of a kind, or knows no list', async () => {
  const list = { data: [{ id: 'openai/*' }], models: null };
  expect(await availableOf(['openai/gpt-4o', 'other'], { status: 200, list })).toEqual(['openai/gpt-4o']);
  expect(await availableOf(['small'], { status: 404 })).toEqual(['small']);
  expect(await availableOf(['small'], { status: 401 })).toEqual([]);
});
