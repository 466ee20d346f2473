import { expect, test, vi } from 'vitest';
import { answerMcp, listTools } from '../../src/api/mcp/server.ts';
import type { McpRequest } from '../../src/api/mcp/tool.ts';
import { loadCatalog } from '../../src/shared/catalog.ts';

test('what tools take is written as JSON Schema once, not for each request', async () => {
  const tools = listTools(await loadCatalog([]));
  const made = tools.map(({ input }) => vi.spyOn(input['~standard'].jsonSchema, 'input'));
  const list = async () => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    return await (await answerMcp(tools, {} as McpRequest, request)).text();
  };
  const first = await list();
  expect(first).toContain('"inputSchema":{"type":"object"');
  expect(first).toContain('Absolute http or https URL');
  expect(await list()).toBe(first);
  expect(made.map((spy) => spy.mock.calls.length)).toEqual(tools.map(() => 0));
});
