import { z } from 'zod';
import { operatorPolicy } from './audit.js';
import { findingPolicy } from './findings.js';
import { lifecyclePolicy } from './lifecycle-policy.js';

/** All settings of a tenant that its admins change: the rules for dates, for findings, and for operators. */
export const tenantSettings = z.strictObject({
  ...lifecyclePolicy.shape,
  ...findingPolicy.shape,
  ...operatorPolicy.shape,
});
export type TenantSettings = z.infer<typeof tenantSettings>;

/** Settings without their defaults, because an absent one stays as it is. */
export const tenantSettingsPatch = z.strictObject(
  Object.fromEntries(
    Object.entries(tenantSettings.shape).map(([name, field]) => [
      name,
      field
        .unwrap()
        .optional()
        .describe(field.description ?? ''),
    ]),
  ) as unknown as { [Name in keyof TenantSettings]: z.ZodOptional<z.ZodType<TenantSettings[Name]>> },
);
export type TenantSettingsPatch = Partial<TenantSettings>;

type Part = 'lifecycle' | 'findings' | 'operators';

/** The fields of each store. */
export const settingParts: Record<Part, readonly string[]> = {
  lifecycle: Object.keys(lifecyclePolicy.shape),
  findings: Object.keys(findingPolicy.shape),
  operators: Object.keys(operatorPolicy.shape),
};
