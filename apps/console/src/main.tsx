import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import { applyTheme } from './app/preferences';
import { newRouter } from './app/router';
import { HeldOperation } from './components/held-operation';
import { Notices } from './components/notices';
import { queryClient } from './data/query-client';

applyTheme();
const router = newRouter();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <HeldOperation />
      <Notices />
    </QueryClientProvider>
  </StrictMode>,
);
