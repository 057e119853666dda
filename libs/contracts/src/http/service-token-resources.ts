import { z } from 'zod';
import { operatorRoles } from '../fixed-values.js';
import { dateTime, oneOf, pageFields, text } from './resources.js';

export const serviceToken = z.strictObject({
  id: text,
  name: text,
  role: oneOf(operatorRoles),
  tenants: z.array(text).optional().describe('Absent: all tenants.'),
  created_at: dateTime,
  created_by: text,
  expires_at: dateTime.optional(),
  last_used_at: dateTime.optional(),
  revoked_at: dateTime.optional(),
});
export const serviceTokenPage = z.strictObject({ data: z.array(serviceToken), ...pageFields });
export const createdServiceToken = serviceToken.extend({ token: text.describe('Returned only once.') });

export type ServiceToken = z.infer<typeof serviceToken>;
export type CreatedServiceToken = z.infer<typeof createdServiceToken>;
