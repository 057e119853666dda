import { tenantSettings, tenantSettingsPatch } from '../tenant-settings.js';
import { ok, operator, type RouteDefinition, tenantPath, withFourEyes } from './route.js';
import { shownSettings } from './setting-resources.js';

/** Routes for all settings of a tenant as one resource. */
export const settingRoutes: RouteDefinition[] = [
  operator('GET', `${tenantPath}/settings`, 'Get all settings of a tenant', ok(tenantSettings)),
  withFourEyes({
    ...operator(
      'PATCH',
      `${tenantPath}/settings`,
      'Change settings of a tenant; others stay as they are',
      ok(shownSettings),
      tenantSettingsPatch,
    ),
    mayTakeLonger: true,
    description:
      'Changed rules for dates and leavers compute all statuses again: returns 202 if the directory takes longer than ten seconds, or holds the operation.',
  }),
];
