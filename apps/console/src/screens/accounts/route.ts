import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { accountsSearchOf } from './accounts-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'accounts',
  validateSearch: accountsSearchOf,
  component: lazyRouteComponent(() => import('./accounts-screen'), 'AccountsScreen'),
});

export const accountRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'accounts/$accountId',
  component: lazyRouteComponent(() => import('./account-screen'), 'AccountScreen'),
});
