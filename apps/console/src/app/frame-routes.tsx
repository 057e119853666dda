import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { NotFound, NotFoundInTenant, RouteError } from '../components/route-states';
import { sessionQuery } from '../data/session';
import { TenantFrame } from './tenant-frame';

export interface RouterContext {
  queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: () => <Outlet />,
  notFoundComponent: () => <NotFound />,
  errorComponent: (props) => <RouteError {...props} />,
});

/** Parent of all screens that need a session. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', search: { return_to: location.href } });
    return { session };
  },
});

/** Parent of all screens of a tenant: the sidebar, and the screen beside it. */
export const tenantRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '$tenantId',
  component: TenantFrame,
  // Inside the frame, so that the navigation stays.
  notFoundComponent: NotFoundInTenant,
});
