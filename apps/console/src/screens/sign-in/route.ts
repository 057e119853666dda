import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/frame-routes';
import { textOf } from '../../data/search-params';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: ({ return_to, error }): { return_to?: string; error?: string } => ({
    return_to: textOf(return_to),
    error: textOf(error),
  }),
  component: lazyRouteComponent(() => import('./sign-in-screen'), 'SignInScreen'),
});
