import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { oneOf, textOf } from '../../data/search-params';
import { views } from './views';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'people/$identityId',
  validateSearch: ({ view, at, and }): { view?: (typeof views)[number]; at?: string; and?: string } => ({
    view: oneOf(views, view),
    at: textOf(at),
    and: textOf(and),
  }),
  component: lazyRouteComponent(() => import('./identity-screen'), 'IdentityScreen'),
});
