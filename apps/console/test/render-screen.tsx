import { afterEach, beforeAll, expect } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { cleanup, configure, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { StrictMode } from 'react';
import { newRouter } from '../src/app/router';
import { HeldOperation } from '../src/components/held-operation';
import { Notices } from '../src/components/notices';
import { queryClient } from '../src/data/query-client';
import type { Role } from '../src/data/session';
import { type Answers, FakeService, tenantId } from './fake-service';

// Only limits what does not appear, since a busy machine is many times slower than an idle one.
configure({ asyncUtilTimeout: 30_000 });

// As in a browser, React renders when a response arrives, not only within what a test does.
beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
});

let service: FakeService | undefined;
let router: ReturnType<typeof newRouter> | undefined;

afterEach(() => {
  cleanup();
  router?.history.destroy();
  queryClient.clear();
  localStorage.clear();
  const unexpected = service?.unexpected;
  service = undefined;
  expect(unexpected ?? []).toEqual([]);
});

/** Opens the console at a path below the tenant, as an operator with the role, before a service that gives the answers. */
export function renderScreen(path: string, { role = 'admin', answers }: { role?: Role; answers: Answers }) {
  const given = new FakeService(role, answers);
  service = given;
  globalThis.fetch = given.fetch;
  history.replaceState(null, '', `/console/${tenantId}${path}`);
  router = newRouter();
  render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <HeldOperation />
        <Notices />
      </QueryClientProvider>
    </StrictMode>,
  );
  return { service: given, user: userEvent.setup({ delay: null }) };
}
