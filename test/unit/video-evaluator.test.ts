import { describe, expect, test } from 'vitest';
import { evaluateScript } from '../../src/workers/video/platforms/youtube/evaluator.ts';

describe('a script of a site', () => {
  test('computes', async () => {
    expect(await evaluateScript('return { n: "12345".split("").reverse().join("") };')).toEqual({
      n: '54321',
    });
    expect(await evaluateScript('return undefined;')).toBeUndefined();
  });

  test('has no way to anything of ours', async () => {
    const names = ['process', 'require', 'fetch', 'Buffer', 'setTimeout', 'WebAssembly', 'XMLHttpRequest'];
    const code = `return ${JSON.stringify(names)}.map((name) => typeof globalThis[name]);`;
    expect(await evaluateScript(code)).toEqual(names.map(() => 'undefined'));
    await expect(evaluateScript('return Function("return import(\\"node:fs\\")")();')).resolves.toEqual({});
  });

  test.each([
    ['throws', 'throw new Error("no");'],
    ['is none', 'return }{;'],
    ['goes on for ever', 'for (;;);'],
    ['takes all memory', 'const all = []; for (;;) all.push(new Array(100000).fill(1));'],
    ['calls itself without end', 'const f = (n) => f(n + 1) + 1; return f(0);'],
  ])('that %s is an error, and the next one is run', async (_, code) => {
    await expect(evaluateScript(code)).rejects.toThrow(/The script failed/);
    expect(await evaluateScript('return 1;')).toBe(1);
  });
});
