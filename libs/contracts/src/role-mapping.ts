import { z } from 'zod';
import { operatorRoles } from './fixed-values.js';
import { decodeId } from './ids.js';

const granted = {
  role: z.enum(operatorRoles),
  tenants: z
    .array(z.string().refine((id) => decodeId('tenant', id) !== undefined))
    .min(1)
    .optional(),
};

/**
 * Roles of people of an identity provider: the first entry whose group, or whose claim, a person has. A person without an
 * entry has no access. Without `tenants`, the role is valid for all.
 */
export const roleMapping = z
  .array(
    z.union([
      z.strictObject({ group: z.string().min(1), ...granted }),
      z.strictObject({ claim: z.string().min(1), value: z.string().min(1), ...granted }),
    ]),
  )
  .max(1_000);
export type RoleMapping = z.infer<typeof roleMapping>;
