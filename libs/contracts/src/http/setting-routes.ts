import { tenantQuotas } from '../quotas.js';
import { tenantSettings, tenantSettingsPatch } from '../tenant-settings.js';
import { quotaUsage } from './quota-resources.js';
import { text } from './resources.js';
import { actions, tenant } from './route.js';

const shownSettings = tenantSettings.extend({
  operation_id: text.optional().describe('The operation that applies changed rules for dates and leavers.'),
});

/** Routes for the limits of a tenant, and for all its settings as one resource. */
export const settingRoutes = actions({
  getQuotas: tenant.get('/quotas', 'Get the limits of a tenant, and how much of them is used', quotaUsage),
  replaceQuotas: tenant.put('/quotas', 'Replace the limits of a tenant; an absent one is unlimited', quotaUsage, {
    body: tenantQuotas,
    forAllTenants: true,
  }),
  getSettings: tenant.get('/settings', 'Get all settings of a tenant', tenantSettings),
  updateSettings: tenant.patch('/settings', 'Change settings of a tenant; others stay as they are', shownSettings, {
    body: tenantSettingsPatch,
    mayTakeLonger: true,
    fourEyes: true,
    description:
      'Changed rules for dates and leavers compute all statuses again: returns 202 if the directory takes longer than ten seconds, or holds the operation.',
  }),
});
