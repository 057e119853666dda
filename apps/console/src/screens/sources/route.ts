import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'sources',
  component: lazyRouteComponent(() => import('./sources-screen'), 'SourcesScreen'),
});

export const sourceRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'sources/$connectorId',
  component: lazyRouteComponent(() => import('./source-screen'), 'SourceScreen'),
});
