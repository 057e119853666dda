import type {
  AttributePriorities,
  LifecyclePolicy,
  MatchingRules,
  OperatorPolicy,
  requests,
  Safeguard,
  TenantSettingsPatch,
} from '@idsync/contracts';
import type { z } from 'zod';

/** The part of each act that an approval stores, with public ids. */
export interface GuardedInputs {
  releaseSyncJob: { job_id: string; reason: string };
  applySyncJob: { job_id: string; reason?: string };
  undoSyncJob: { job_id: string; reason?: string };
  eraseIdentity: { identity_id: string } & z.infer<typeof requests.eraseBody>;
  replaceMatchingRules: MatchingRules;
  replaceAttributePriorities: AttributePriorities;
  replaceLifecyclePolicy: LifecyclePolicy;
  updateConnector: { connector_id: string; safeguard?: Partial<Safeguard>; priority?: number };
  replaceOperatorPolicy: OperatorPolicy;
  updateSettings: TenantSettingsPatch;
  confirmOperation: { operation_id: string; reason: string };
  retireDeletedConnector: { connector_id: string };
  handDeletedConnectorOver: { connector_id: string; to: string; reason?: string };
  deleteTenant: { tenant_id: string; name: string };
}

/** The resource that an act addresses; undefined for settings of the tenant. */
export function resourceOf(input: object): string | undefined {
  const { job_id, identity_id, operation_id, connector_id, tenant_id } = input as Record<string, string | undefined>;
  return job_id ?? identity_id ?? operation_id ?? connector_id ?? tenant_id;
}
