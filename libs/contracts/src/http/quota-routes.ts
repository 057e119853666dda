import { tenantQuotas } from '../quotas.js';
import * as shown from './quota-resources.js';
import { actions, tenant } from './route.js';

/** Routes for the limits of a tenant. */
export const quotaRoutes = actions({
  getQuotas: tenant.get('/quotas', 'Get the limits of a tenant, and how much of them is used', shown.quotaUsage),
  replaceQuotas: tenant.put('/quotas', 'Replace the limits of a tenant; an absent one is unlimited', shown.quotaUsage, {
    body: tenantQuotas,
    forAllTenants: true,
  }),
});
