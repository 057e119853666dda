import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { oneOf } from '../../data/search-params';
import { type AccessView, accessViews } from './views';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'access',
  validateSearch: ({ view }): { view?: AccessView } => ({ view: oneOf(accessViews, view) }),
  component: lazyRouteComponent(() => import('./access-screen'), 'AccessScreen'),
});
