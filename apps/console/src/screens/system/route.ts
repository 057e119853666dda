import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { systemSearchOf } from './system-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'system',
  validateSearch: systemSearchOf,
  component: lazyRouteComponent(() => import('./system-screen'), 'SystemScreen'),
});
