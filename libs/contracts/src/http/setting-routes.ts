import { tenantSettings, tenantSettingsPatch } from '../tenant-settings.js';
import { text } from './resources.js';
import { actions, tenant } from './route.js';

const shownSettings = tenantSettings.extend({
  operation_id: text.optional().describe('The operation that applies changed rules for dates and leavers.'),
});

/** Routes for all settings of a tenant as one resource. */
export const settingRoutes = actions({
  getSettings: tenant.get('/settings', 'Get all settings of a tenant', tenantSettings),
  updateSettings: tenant.patch('/settings', 'Change settings of a tenant; others stay as they are', shownSettings, {
    body: tenantSettingsPatch,
    mayTakeLonger: true,
    fourEyes: true,
    description:
      'Changed rules for dates and leavers compute all statuses again: returns 202 if the directory takes longer than ten seconds, or holds the operation.',
  }),
});
