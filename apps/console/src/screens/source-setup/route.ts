import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { oneOf, textOf } from '../../data/search-params';
import { type Step, steps } from './steps';

/** Without a source the path creates one; with one it changes it. */
export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'source-setup',
  validateSearch: ({ source, step }): { source?: string; step?: Step } => ({
    source: textOf(source),
    step: oneOf(steps, step),
  }),
  component: lazyRouteComponent(() => import('./setup-screen'), 'SetupScreen'),
});
