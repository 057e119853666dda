import { z } from 'zod';
import { connectorList } from './connector-list.js';
import type { FindingKind } from './fixed-values.js';
import type { IdKind } from './ids.js';

/** The kind of the resource that each kind of finding is about. */
export const findingSubjects = {
  leaver_with_account: 'account',
  leaver_with_machine_secret: 'machineIdentity',
  unmatched_account: 'account',
  duplicate_in_source: 'user',
  machine_without_owner: 'machineIdentity',
  stale_source: 'connector',
  unknown_manager: 'user',
  manager_cycle: 'identity',
  leaver_in_other_source: 'user',
  user_looks_like_machine: 'user',
  account_looks_like_machine: 'account',
  employment_conflict: 'user',
} as const satisfies Record<FindingKind, IdKind>;

const maxHours = 365 * 24;
const hours = (min: number) => z.int().min(min).max(maxHours);

/** A tenant's settings for findings. An absent field has its default. */
export const findingPolicy = z.strictObject({
  unmatched_account_hours: hours(0)
    .default(24)
    .describe(
      'Age at which an account without a person is a finding: its person may be in a source that is read later.',
    ),
  stale_source_hours: hours(1).default(36).describe('Age of the last complete read at which a source is stale.'),
  connector_stale_hours: connectorList({ hours: hours(1) }).describe(
    'Ages for connectors, where they differ from `stale_source_hours`.',
  ),
});
export type FindingPolicy = z.infer<typeof findingPolicy>;

export const defaultFindingPolicy: FindingPolicy = findingPolicy.parse({});
