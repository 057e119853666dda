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

/** Entered settings that are not saved. */
export type SettingsDraft = Partial<SettingsInput>;
export type SettingName = keyof SettingsInput;

/** The settings of each section, which is saved alone. */
export const settingsOf = {
  operators: ['four_eyes', 'approval_hours', 'log_reads'],
  people: ['time_zone', 'start_days_before', 'grace_days', 'retention_days'],
  findings: ['stale_source_hours', 'unmatched_account_hours'],
} as const satisfies Record<string, readonly SettingName[]>;
export type SettingsSection = keyof typeof settingsOf;

/** The settings of a section that differ, as the service takes them. */
export function changesIn(section: SettingsSection, settings: Given, draft: SettingsDraft): Partial<Given> {
  const input = { ...settings, ...draft };
  const names: readonly SettingName[] = settingsOf[section];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = isNumber(name) ? numberOf(input[name]) : input[name];
      return value === undefined || value === settings[name] ? [] : [[name, value]];
    }),
  );
}

const isNumber = (name: SettingName): name is NumberName => (numbers as readonly SettingName[]).includes(name);

/** Undefined for an empty field, which is not sent. */
function numberOf(typed: number | string): number | undefined {
  return typed === '' ? undefined : Number(typed);
}

/** The draft without the settings of a section: they are saved or discarded. */
export function withoutSection(section: SettingsSection, draft: SettingsDraft): SettingsDraft {
  const names: readonly string[] = settingsOf[section];
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !names.includes(name)));
}
