import { tenantQuotas } from '../quotas.js';
import * as shown from './quota-resources.js';
import { type RouteDefinition, tenant } from './route.js';

/** Routes for the limits of a tenant. */
export const quotaRoutes: RouteDefinition[] = [
  tenant.get('/quotas', 'Get the limits of a tenant, and how much of them is used', shown.quotaUsage),
  tenant.put('/quotas', 'Replace the limits of a tenant; an absent one is unlimited', shown.quotaUsage, {
    body: tenantQuotas,
  }),
];
