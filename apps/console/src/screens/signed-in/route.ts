import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/frame-routes';

/** Where the identity provider returns to after a session was renewed in a new tab. */
export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in/done',
  component: lazyRouteComponent(() => import('./signed-in-screen'), 'SignedInScreen'),
});
