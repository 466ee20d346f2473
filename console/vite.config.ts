import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // The content policy allows files of our own only: nothing is inlined as data.
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic' } },
});
