import { newQuickJSWASMModuleFromVariant, shouldInterruptAfterDeadline } from 'quickjs-emscripten-core';

const evaluationMs = 5_000;
const memoryBytes = 128 * 1024 * 1024;

/**
 * Runs a script of a site in QuickJS, compiled to WebAssembly: it has no way to anything of ours, not even a clock.
 * Its own limits can be escaped in places (native `sort` ignores the deadline), so it belongs in a process that can
 * be killed.
 * @param code the body of a function.
 * @returns what it returns, as JSON.
 * @throws Error where it throws, takes too long or too much memory.
 */
export async function evaluateScript(code: string): Promise<unknown> {
  const quickJs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'));
  const runtime = quickJs.newRuntime();
  try {
    runtime.setMemoryLimit(memoryBytes);
    runtime.setMaxStackSize(128 * 1024);
    runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + evaluationMs));
    const context = runtime.newContext();
    try {
      const result = context.evalCode(`JSON.stringify((function () {\n${code}\n})())`);
      if (result.error) {
        const error: unknown = context.dump(result.error);
        result.error.dispose();
        throw new Error(`The script failed: ${JSON.stringify(error)}`);
      }
      const text: unknown = context.dump(result.value);
      result.value.dispose();
      return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined;
    } finally {
      context.dispose();
    }
  } finally {
    runtime.dispose();
  }
}
