import { approvalRoutes } from './approval-routes.js';
import { auditRoutes } from './audit-routes.js';
import { deliveryRoutes } from './delivery-routes.js';
import { eventRoutes } from './event-routes.js';
import { findingRoutes } from './finding-routes.js';
import { operatorRoutes } from './operator-routes.js';
import { portalRoutes } from './portal-routes.js';
import { publicRoutes } from './public-routes.js';
import { quotaRoutes } from './quota-routes.js';
import type { RouteDefinition } from './route.js';
import { withRole } from './route-role.js';
import { serviceTokenRoutes } from './service-token-routes.js';
import { sessionRoutes } from './session-routes.js';
import { settingRoutes } from './setting-routes.js';
import { subscriberRoutes } from './subscriber-routes.js';
import { systemRoutes } from './system-routes.js';

/** All routes of the gateway, from which the OpenAPI document and the check of scopes are derived. */
export const routes: readonly RouteDefinition[] = [
  ...publicRoutes,
  ...subscriberRoutes,
  ...portalRoutes,
  ...operatorRoutes,
  ...findingRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  ...auditRoutes,
  ...approvalRoutes,
  ...quotaRoutes,
  ...settingRoutes,
  ...serviceTokenRoutes,
  ...sessionRoutes,
  ...systemRoutes,
].map(withRole);
