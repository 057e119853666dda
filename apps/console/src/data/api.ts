import * as operator from '@idsync/client/operator';
import { send } from './session';

export type * from '@idsync/client/operator';

/** Whether the service has refused a request because there is no such resource. */
export function isNotFound(error: unknown): boolean {
  return error instanceof operator.IdsyncError && error.status === 404;
}

const client = operator.createBrowserClient({ baseUrl: location.origin, fetch: send });

/** Sends a typed request below a tenant: `call('POST /cases/{caseId}/resolve', { tenantId, caseId }, body)`. */
export const call = operator.callBelow(client, '/admin/v1/tenants/{tenantId}');

/** Sends another typed request: `callInstallation('GET /system', {})`. */
export const callInstallation = operator.callBelow(client, '/admin/v1');

type TenantOperation = operator.OperationName<operator.OneTenant>;
export type Answer<Name extends TenantOperation> = operator.Answer<operator.OneTenant, Name>;
export type Input<Name extends TenantOperation> = operator.Input<operator.OneTenant, Name>;
