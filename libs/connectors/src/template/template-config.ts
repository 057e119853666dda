import type { FieldMap, RecordKind } from '@idsync/contracts';

/**
 * The configuration. A released connector has its zod schema in `libs/contracts/src/connectors/`, named after its type.
 */
export interface TemplateConfig {
  url: string;
  /** Path of the permanent id of a person. */
  external_id: string;
  /** The source of each target field; `templateFields` if absent. */
  fields?: FieldMap;
}

/** The default mapping. */
export const templateFields: Record<Exclude<RecordKind, 'machine_identity'>, FieldMap> = {
  user: {
    user_principal_name: 'login',
    display_name: 'name',
    hire_date: 'hired_on',
    status: { from: 'active', transform: [{ map: { true: 'active', false: 'inactive' } }] },
  },
  account: {
    identifier: 'login',
    display_name: 'name',
    status: { from: 'active', transform: [{ map: { true: 'active', false: 'disabled' } }] },
  },
};
