import { tenantQuotas } from '../quotas.js';
import * as shown from './quota-resources.js';
import { ok, operator, type RouteDefinition, tenantPath } from './route.js';

/** Routes for the limits of a tenant. */
export const quotaRoutes: RouteDefinition[] = [
  operator(
    'GET',
    `${tenantPath}/quotas`,
    'Get the limits of a tenant, and how much of them is used',
    ok(shown.quotaUsage),
  ),
  operator(
    'PUT',
    `${tenantPath}/quotas`,
    'Replace the limits of a tenant; an absent one is unlimited',
    ok(shown.quotaUsage),
    tenantQuotas,
  ),
];
