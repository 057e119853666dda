import { type QuotaName, quotaNames } from '@idsync/contracts/fixed-values';
import type { Answer } from '../../data/api';
import type { SettingsView } from '../../data/searches';

export type Settings = Answer<'GET /settings'>;

/** `none` is shown for a number that may be empty. */
type Label = readonly [label: string, hint: string, none?: string];

export const viewNames: Record<SettingsView, string> = {
  general: 'General',
  operators: 'Operators',
  people: 'Joiners and leavers',
  findings: 'Findings',
  quotas: 'Quotas',
};

/** The settings by section, which is saved alone, with their labels and hints. */
export const sections = {
  operators: {
    about: 'What acts of operators need, and what the audit log records.',
    fields: {
      four_eyes: [
        'Four eyes',
        'Releasing or applying a run, erasing a person, and changing rules or these settings wait for a second operator.',
      ],
      log_reads: ['Record reads', 'The audit log also has who has read data of people.'],
      approval_hours: ['Hours to approve', 'How long a second operator can approve.'],
      service_token_max_days: [
        'Days of a service token',
        'How long a new token of this tenant is valid at most. Issued ones keep their expiry.',
        'Without limit',
      ],
    },
  },
  people: {
    about: 'When a person becomes active, and how long a leaver is kept. A change computes all statuses again.',
    fields: {
      time_zone: ['Time zone', 'In which a date without a time is a day.'],
      start_days_before: ['Days before the first day', 'When a new person becomes active.'],
      grace_days: ['Days of grace', 'How long a leaver stays inactive before the status is deleted.'],
      retention_days: ['Days of retention', 'How long a deleted record can be read.'],
    },
  },
  findings: {
    about: 'How old something is before a finding is opened.',
    fields: {
      stale_source_hours: ['Hours until a source is stale', 'Age of its last complete read.'],
      unmatched_account_hours: ['Hours until an account is unmatched', 'Age of an account without a person.'],
    },
  },
} as const satisfies Record<string, { about: string; fields: Partial<Record<keyof Settings, Label>> }>;

export type SettingsSection = keyof typeof sections;
/** Numbers are text while they are typed. */
type Value = string | number | boolean;
/** Entered settings that are not saved. */
export type SettingsDraft = Readonly<Record<string, Value>>;

export function labelsOf(section: SettingsSection): [name: string, Label][] {
  return Object.entries<Label>(sections[section].fields);
}

/** Only numbers may have no value. */
export function isNumber(stored: unknown): stored is number | null {
  return stored === null || typeof stored === 'number';
}

/** The settings of a section that differ, as the service takes them. An empty number is sent only if it may be empty. */
export function changesIn(
  section: SettingsSection,
  settings: object,
  draft: SettingsDraft,
): Record<string, Value | null> {
  const stored = settings as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    labelsOf(section).flatMap(([name, [, , none]]) => {
      const typed = draft[name];
      const isEmpty = isNumber(stored[name]) && typed === '';
      if (typed === undefined || (isEmpty && none === undefined)) return [];
      const value = isEmpty ? null : isNumber(stored[name]) ? Number(typed) : typed;
      return value === stored[name] ? [] : [[name, value]];
    }),
  );
}

/** The draft without the settings of a section: they are saved or discarded. */
export function withoutSection(section: SettingsSection, draft: SettingsDraft): SettingsDraft {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !Object.hasOwn(sections[section].fields, name)));
}

/** Limits as they are typed; an empty one is unlimited. */
export type QuotaInput = Partial<Record<QuotaName, string>>;

type Usage = Record<QuotaName, { limit?: number }>;

export function quotaInputOf(usage: Usage): Record<QuotaName, string> {
  return Object.fromEntries(quotaNames.map((name) => [name, String(usage[name].limit ?? '')])) as Record<
    QuotaName,
    string
  >;
}

export function isChangedQuota(usage: Usage, draft: QuotaInput): boolean {
  const stored = quotaInputOf(usage);
  return quotaNames.some((name) => draft[name] !== undefined && draft[name] !== stored[name]);
}

/** The limits as the service takes them; an empty one is unlimited. */
export function limitsOf(input: QuotaInput): Partial<Record<QuotaName, number>> {
  return Object.fromEntries(
    quotaNames.flatMap((name) => {
      const text = input[name] ?? '';
      return text === '' ? [] : [[name, Number(text)]];
    }),
  );
}
