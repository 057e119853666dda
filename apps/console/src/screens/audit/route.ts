import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { auditSearchOf } from './audit-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'audit',
  validateSearch: auditSearchOf,
  component: lazyRouteComponent(() => import('./audit-screen'), 'AuditScreen'),
});
