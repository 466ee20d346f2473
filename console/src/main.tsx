import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './theme.tsx';

applyTheme();
// The service has got a newer console meanwhile, and the parts of this one are gone.
addEventListener('vite:preloadError', () => location.reload());
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
