import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { oneOf, textOf } from '../../data/search-params';
import { caseStatuses } from './case-statuses';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'cases',
  validateSearch: ({ status, case: id }): { status?: (typeof caseStatuses)[number]; case?: string } => ({
    status: oneOf(caseStatuses, status),
    case: textOf(id),
  }),
  component: lazyRouteComponent(() => import('./cases-screen'), 'CasesScreen'),
});
