import { expect, it } from 'vitest';
import { parseModelList } from '../../src/shared/ai/model-list.ts';

it('reads models by provider and name, with what is known of their context', () => {
  expect(
    parseModelList(['openai/gpt-5-mini', 'compatible/llama3.1:8b', 'compatible/org/model@32768']),
  ).toEqual([
    { id: 'openai/gpt-5-mini', name: 'gpt-5-mini', provider: 'openai', contextTokens: 400_000 },
    { id: 'compatible/llama3.1:8b', name: 'llama3.1:8b', provider: 'compatible', contextTokens: null },
    { id: 'compatible/org/model', name: 'org/model', provider: 'compatible', contextTokens: 32_768 },
  ]);
});

it.each(['gpt-5', 'mistral/large', 'openai/', 'openai/a b'])(
  'names an entry that it cannot read: %s',
  (entry) => {
    expect(() => parseModelList([entry])).toThrow(`"${entry}"`);
  },
);
