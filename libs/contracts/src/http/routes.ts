import { deliveryRoutes } from './delivery-routes.js';
import { operatorRoutes } from './operator-routes.js';
import { publicRoutes } from './public-routes.js';
import type { RouteDefinition } from './route.js';

/** All routes of the gateway, from which the OpenAPI document and the check of scopes are derived. */
export const routes: readonly RouteDefinition[] = [...publicRoutes, ...operatorRoutes, ...deliveryRoutes];
