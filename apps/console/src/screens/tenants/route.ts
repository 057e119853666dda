import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../app/frame-routes';

export const route = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'tenants',
  component: lazyRouteComponent(() => import('./tenants-screen'), 'TenantsScreen'),
});
