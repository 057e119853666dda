import { tenantSettings } from '../tenant-settings.js';
import { text } from './resources.js';

export const shownSettings = tenantSettings.extend({
  operation_id: text.optional().describe('The operation that applies changed rules for dates and leavers.'),
});
