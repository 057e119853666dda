import type { FieldMap, RecordKind } from '@idsync/contracts';

/** What the connector is told. Of one that ships this is a schema of zod in `libs/contracts/src/connectors/`, by its type's name. */
export interface TemplateConfig {
  url: string;
  /** The path of what identifies a person for ever. */
  external_id: string;
  /** Our field to where its values come from; `templateFields` if absent. */
  fields?: FieldMap;
}

/** Where our fields come from if a mapping is not given. */
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
