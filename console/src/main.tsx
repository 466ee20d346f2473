import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadAnewOnce } from './api/load-anew.ts';
import { App } from './app.tsx';
import { applyTheme } from './theme.tsx';

applyTheme();
// The service may have got a newer console meanwhile, and the parts of this one are gone.
addEventListener('vite:preloadError', () => void loadAnewOnce());
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
