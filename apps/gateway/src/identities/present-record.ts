import { encodeId, machineReferences, type responses } from '@idsync/contracts';
import type { AccountRow, EventRow, MachineRow } from '@idsync/database/gateway';

/** Presents an account with the name of its identity. */
export function presentAccount(row: AccountRow, identityName: string | undefined): responses.AccountDetails {
  return {
    id: encodeId('account', row.id),
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    identity_name: identityName,
    connector_id: encodeId('connector', row.connectorId),
    external_id: row.externalId,
    identifier: row.fields.identifier?.[0] ?? row.externalId,
    display_name: row.fields.display_name?.[0],
    status: row.status,
    values: row.fields,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Presents a machine identity with the names of its people, by the ids of their identities. */
export function presentMachine(row: MachineRow, names: ReadonlyMap<string, string>): responses.MachineIdentityDetails {
  const isDecommissioned = row.status === 'decommissioned';
  return {
    id: encodeId('machineIdentity', row.id),
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    connector_id: encodeId('connector', row.connectorId),
    external_id: row.externalId,
    display_name: row.fields.display_name?.[0] ?? row.externalId,
    status: row.status,
    classification: row.fields.classification?.[0],
    handed_over: row.machine?.handedOver ?? false,
    people: machineReferences.map((role) => {
      const identityId = row.references.find((each) => each.role === role)?.identityId;
      return {
        role,
        named: row.fields[role]?.[0],
        identity_id: identityId === undefined ? undefined : encodeId('identity', identityId),
        name: names.get(identityId ?? ''),
      };
    }),
    values: row.fields,
    risk_score: row.machine?.risk.score ?? 0,
    risk_factors: row.machine?.risk.factors ?? [],
    next_review_at: isDecommissioned ? undefined : row.dueAt?.toISOString(),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export function presentEvent(row: EventRow): responses.LifecycleEvent {
  return {
    id: encodeId('event', row.id),
    event_type: row.type,
    occurred_at: row.occurredAt.toISOString(),
    details: row.details,
  };
}
