import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Connector, call, type operations } from './api';
import { liveByEvents } from './query-client';
import { useTenantId } from './use-tenant';

/** The sources of a tenant, which are few. */
export const connectorsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['connectors', tenantId],
    queryFn: () => call('GET /connectors', { tenantId }, { limit: 200 }),
    staleTime: 30_000,
  });

export const connectorQuery = (tenantId: string, connectorId: string) =>
  queryOptions({
    queryKey: ['connectors', tenantId, connectorId],
    queryFn: () => findConnector(tenantId, connectorId),
    ...liveByEvents,
  });

export const findConnector = (tenantId: string, connectorId: string): Promise<Connector> =>
  call('GET /connectors/{connectorId}', { tenantId, connectorId });

type NewConnector = operations['adminCreateConnector']['requestBody']['content']['application/json'];

/** Creates a source. The body is checked by the service, since its form depends on the type. */
export const createConnector = (tenantId: string, body: Record<string, unknown>): Promise<Connector> =>
  call('POST /connectors', { tenantId }, body as unknown as NewConnector);

/** Changes the given fields of a source. Returns an approval if a second operator must agree, and names an operation that completes it. */
export const changeConnector = (tenantId: string, connectorId: string, body: Record<string, unknown>) =>
  call('PATCH /connectors/{connectorId}', { tenantId, connectorId }, body);

/** Starts a run of a source, or a dry run that only shows its plan. */
export const startRun = (tenantId: string, connectorId: string, dryRun: boolean) =>
  call('POST /sync-jobs', { tenantId }, { connector_id: connectorId, dry_run: dryRun, mode: 'auto' });

/** Returns the name of a source by its id; a source that no longer exists has its id as its name. */
export function useSourceName(): (id: string) => string {
  const { data } = useQuery(connectorsQuery(useTenantId()));
  return (id) => data?.data.find((connector) => connector.id === id)?.name ?? id;
}

/** The sources as choices of a filter. */
export function useSourceChoices(): { value: string; label: string }[] {
  const { data } = useQuery(connectorsQuery(useTenantId()));
  return (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}
