import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { runsSearchOf } from './runs-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'runs',
  validateSearch: runsSearchOf,
  component: lazyRouteComponent(() => import('./runs-screen'), 'RunsScreen'),
});

export const runRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'runs/$jobId',
  component: lazyRouteComponent(() => import('./run-screen'), 'RunScreen'),
});
