import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { planSearchOf } from './plan-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'runs/$jobId/plan',
  validateSearch: planSearchOf,
  component: lazyRouteComponent(() => import('./plan-screen'), 'PlanScreen'),
});
