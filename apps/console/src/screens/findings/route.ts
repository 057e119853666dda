import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { findingsSearchOf } from './findings-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'findings',
  validateSearch: findingsSearchOf,
  component: lazyRouteComponent(() => import('./findings-screen'), 'FindingsScreen'),
});
