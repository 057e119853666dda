export const numbers = [
  'approval_hours',
  'start_days_before',
  'grace_days',
  'retention_days',
  'stale_source_hours',
  'unmatched_account_hours',
] as const;
type NumberName = (typeof numbers)[number];

interface Given extends Record<NumberName, number> {
  time_zone: string;
  four_eyes: boolean;
  log_reads: boolean;
}
/** Numbers are text while they are typed. */
export type SettingsInput = Omit<Given, NumberName> & Record<NumberName, number | string>;

/** The settings that differ, as the service takes them. */
export function changesOf(settings: Given, input: SettingsInput): Partial<Given> {
  const changes: Partial<Given> = {};
  for (const name of numbers) {
    const value = Number(input[name]);
    if (input[name] !== '' && value !== settings[name]) changes[name] = value;
  }
  if (input.time_zone !== settings.time_zone) changes.time_zone = input.time_zone;
  if (input.four_eyes !== settings.four_eyes) changes.four_eyes = input.four_eyes;
  if (input.log_reads !== settings.log_reads) changes.log_reads = input.log_reads;
  return changes;
}
