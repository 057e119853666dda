import { deliveryRoutes } from './delivery-routes.js';
import { operatorRoutes } from './operator-routes.js';
import { publicRoutes } from './public-routes.js';
import type { RouteDefinition } from './route.js';

/** Every route of the gateway; the OpenAPI document and the check of scopes are made from it. */
export const routes: readonly RouteDefinition[] = [...publicRoutes, ...operatorRoutes, ...deliveryRoutes];
