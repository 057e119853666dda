import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { oneOf } from '../../data/search-params';
import { type RulesView, rulesViews } from './views';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'rules',
  validateSearch: ({ view }): { view?: RulesView } => ({ view: oneOf(rulesViews, view) }),
  component: lazyRouteComponent(() => import('./rules-screen'), 'RulesScreen'),
});
