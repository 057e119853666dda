import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../styles/tokens.css';
import '../styles/base.css';
import { Notices } from '../components/notices';
import { queryClient } from '../data/query-client';
import { takeKey } from './api';
import { Portal } from './portal';

/** Takes the key out of the address, so that it stays neither there nor in the history. */
function begin(): void {
  if (!takeKey(location.hash)) return;
  history.replaceState(null, '', location.pathname + location.search);
  queryClient.clear();
}

applyTheme();
begin();
// The page around the frame may give it another link without a reload.
addEventListener('hashchange', begin);
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Portal />
      <Notices />
    </QueryClientProvider>
  </StrictMode>,
);

/** Applies `?theme=light` or `?theme=dark`, so that a frame looks like the page around it. */
function applyTheme(): void {
  const theme = new URLSearchParams(location.search).get('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.setAttribute('data-theme', theme);
}
