import { createRouter } from '@tanstack/react-router';
import { Loading } from '../components/states';
import { queryClient } from '../data/query-client';
import { rootRoute, signedInRoute, tenantRoute } from './frame-routes';
import { openRoutes, signedInRoutes, tenantRoutes } from './screens';

export const newRouter = () =>
  createRouter({
    routeTree: rootRoute.addChildren([
      ...openRoutes,
      signedInRoute.addChildren([...signedInRoutes, tenantRoute.addChildren(tenantRoutes)]),
    ]),
    basepath: '/console',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: Loading,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
