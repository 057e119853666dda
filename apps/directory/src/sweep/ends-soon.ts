import { isDay, type LifecyclePolicy, type Safeguard } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import type { RecordChange } from '../changes/record-change.js';
import { employmentOf, employmentRules } from '../lifecycle/lifecycle.js';
import { withCurrentStatus } from '../lifecycle/stamp-records.js';
import { isLosingStep } from './guard.js';

const hourMs = 60 * 60 * 1_000;

/**
 * Adds the time at which a user loses access if the change gives it an end within the hours of the safeguard. It counts
 * as a disable, because nothing bounds how many people the clock makes inactive.
 */
export function withSoonEnd(
  change: RecordChange,
  guard: Safeguard | undefined,
  { policy, now }: { policy: LifecyclePolicy; now: Date },
): RecordChange {
  const { record, before } = change;
  if (!guard?.within_hours || !before || record.fields.termination_date === undefined) return change;
  if (isLosingStep(before.status, record.status)) return change;
  const statusSoon = (user: StoredRecord) => {
    // A last day counts if it begins within these hours.
    const hours = guard.within_hours + (user.fields.termination_date?.some(isDay) ? 24 : 0);
    return withCurrentStatus(user, policy, new Date(now.getTime() + hours * hourMs)).status;
  };
  const to = statusSoon(record);
  if (to !== 'inactive' || !isLosingStep(statusSoon(before), to)) return change;
  const losesAt = employmentOf(record.fields, employmentRules(policy, record.connectorId)).endsAt;
  return { ...change, ...(losesAt && { losesAt }) };
}
