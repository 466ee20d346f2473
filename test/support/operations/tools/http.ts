import type { ExtensionToolsMaker } from '../../../../src/workers/tools.ts';

declare module '../../../../src/workers/tools.ts' {
  interface ExtensionTools {
    http: { squareOf(number: number): number };
  }
}

const makeTools: ExtensionToolsMaker<'http'> = async () => ({ squareOf: (number) => number ** 2 });

export default makeTools;
