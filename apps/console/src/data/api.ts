import * as operator from '@idsync/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
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

/** A read as a query. Its key begins with the name and the tenant, by which changes have it read again. */
export function read<Name extends TenantOperation & `GET ${string}`>(
  key: string,
  name: Name,
  ids: operator.Ids<operator.OneTenant, Name>,
  input?: Input<Name>,
) {
  return queryOptions({
    queryKey: [key, ...Object.values(ids as object), name, input],
    queryFn: () => call(name, ids, input),
  });
}

type TenantOperation = operator.OperationName<operator.OneTenant>;
export type Answer<Name extends TenantOperation> = operator.Answer<operator.OneTenant, Name>;
export type InstallationAnswer<Name extends operator.OperationName<operator.Installation>> = operator.Answer<
  operator.Installation,
  Name
>;
export type Input<Name extends TenantOperation> = operator.Input<operator.OneTenant, Name>;

/** Id of the tenant whose screen is open. */
export function useTenantId(): string {
  return useParams({ from: '/signed-in/$tenantId' }).tenantId;
}

/** The filters in the URL of the open screen, and a function that changes some of them. */
export function useFilters<Search extends object>(): [Search, (change: Search) => Promise<void>] {
  const navigate = useNavigate();
  const search: object = useSearch({ strict: false });
  const change = (changed: Search) =>
    navigate({ to: '.', search: (old: object) => ({ ...old, ...changed }) as never, replace: true });
  return [search as Search, change];
}
