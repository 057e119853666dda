import { approvalRoutes } from './approval-routes.js';
import { auditRoutes } from './audit-routes.js';
import { deliveryRoutes } from './delivery-routes.js';
import { eventRoutes } from './event-routes.js';
import { findingRoutes } from './finding-routes.js';
import { operatorRoutes } from './operator-routes.js';
import { operatorPortalRoutes, portalRoutes } from './portal-routes.js';
import { publicRoutes } from './public-routes.js';
import type { RouteDefinition } from './route.js';
import { serviceTokenRoutes } from './service-token-routes.js';
import { sessionRoutes } from './session-routes.js';
import { settingRoutes } from './setting-routes.js';
import { subscriberRoutes } from './subscriber-routes.js';
import { systemRoutes } from './system-routes.js';

/** Routes for clients of a tenant. */
export const clientRoutes = { ...publicRoutes, ...subscriberRoutes, ...portalRoutes };

/** Routes for operators, by the actions that the audit log names. */
export const adminRoutes = {
  ...operatorPortalRoutes,
  ...operatorRoutes,
  ...findingRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  ...auditRoutes,
  ...approvalRoutes,
  ...settingRoutes,
  ...serviceTokenRoutes,
  ...sessionRoutes,
  ...systemRoutes,
};

type AdminRoutes = typeof adminRoutes;
/** Actions that need a second operator where a tenant has four eyes. */
export type GuardedAction = {
  [Action in keyof AdminRoutes]: AdminRoutes[Action] extends { fourEyes: true } ? Action : never;
}[keyof AdminRoutes];

/** All routes of the gateway, from which handlers, checks of access and the OpenAPI document are derived. */
export const routes: readonly RouteDefinition[] = [...Object.values(clientRoutes), ...Object.values(adminRoutes)];
