import { z } from 'zod';

/** What a connector's records are: people, accounts of people, or accounts of machines. */
export const recordKinds = ['user', 'account', 'machine_identity'] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Keys that join records certainly, on every kind of record; the order is their rank. */
export const matchingKeys = ['employee_number', 'email', 'user_principal_name'] as const;
export type MatchingKey = (typeof matchingKeys)[number];

/** Mappable fields of each resource, by how their value is read. `external_id` and ids are not mapped: they are ours. */
export const recordFields = {
  user: {
    text: ['user_principal_name', 'display_name', 'email', 'job_title', 'first_name', 'last_name'],
    list: ['roles', 'groups', 'departments'],
    date: ['hire_date'],
    integer: [],
    status: ['pending', 'active', 'suspended', 'inactive', 'deleted'],
  },
  account: {
    text: ['identifier', 'display_name', 'first_name', 'last_name', 'job_title', 'source_system_id'],
    list: [],
    date: [],
    integer: [],
    status: ['active', 'disabled', 'locked', 'deleted'],
  },
  machine_identity: {
    text: ['account_id', 'display_name', 'classification', 'owned_by', 'manager_id', 'technical_inheritor'],
    list: [],
    date: [],
    integer: ['risk_score'],
    status: ['active', 'disabled', 'orphaned', 'decommissioned'],
  },
} as const satisfies Record<RecordKind, Record<'text' | 'list' | 'date' | 'integer' | 'status', readonly string[]>>;

export const machineClassifications = [
  'service_account',
  'api_key',
  'oauth_app',
  'workload',
  'bot',
  'ci_cd',
  'ai_agent',
  'unknown',
] as const;

/** `attributes.<name>`: free attributes beside the spec's fields. */
export const attributeFieldPattern = /^attributes\.[a-z][a-z0-9_]{0,62}$/;

/** True if `field` may stand on the left side of a mapping for records of this kind. */
export function isMappableField(kind: RecordKind, field: string): boolean {
  const known = recordFields[kind];
  return (
    field === 'status' ||
    (matchingKeys as readonly string[]).includes(field) ||
    [known.text, known.list, known.date, known.integer].some((names) => (names as readonly string[]).includes(field)) ||
    attributeFieldPattern.test(field)
  );
}

/** What a source calls one of its records. */
const externalId = z.string().min(1).max(1024);

/**
 * One record as a connector hands it on. `fields` maps a field name to its values, all text: a name that is absent says
 * nothing, an empty list clears this source's own value. Dates are ISO 8601 UTC, integers decimal digits.
 */
export const sourceRecord = z.object({
  external_id: externalId,
  fields: z.record(z.string(), z.array(z.string())),
  /** Its source says that it is gone; it has no fields then. Only a run of changes, or of one record, says so. */
  removed: z.literal(true).optional(),
});
export type SourceRecord = z.infer<typeof sourceRecord>;

/** A record that could not be read or mapped; the rest of its source goes on. */
export interface RecordError {
  /** Absent where the source was asked for this record alone and has no lines. */
  line?: number;
  external_id?: string;
  message: string;
  /** Other records may be hidden in it, so it does not tell who else is still there. */
  hides_others?: true;
}
