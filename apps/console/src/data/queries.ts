import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Connector, call, callInstallation, type Identity, type Input, read, useTenantId } from './api';
import { cursorPages, live, liveByEvents, unlessStreamed } from './query-client';

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: () => callInstallation('GET /tenants', {}, { limit: 200 }),
  staleTime: 60_000,
});

export const tenantQuery = (tenantId: string) => ({ ...read('tenants', 'GET ', { tenantId }), staleTime: 60_000 });

/** All sources of a tenant, which are few. */
export const connectorsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['connectors', tenantId],
    queryFn: async () => {
      const data: Connector[] = [];
      for (;;) {
        const page = await call('GET /connectors', { tenantId }, { limit: 200, offset: data.length });
        data.push(...page.data);
        if (page.data.length === 0 || data.length >= page.total) return { ...page, data, offset: 0 };
      }
    },
    staleTime: 30_000,
  });

export const connectorQuery = (tenantId: string, connectorId: string) => ({
  ...read('connectors', 'GET /connectors/{connectorId}', { tenantId, connectorId }),
  ...liveByEvents,
});

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

/** Starts a run of a source, or a dry run that only shows its plan. */
export const startRun = (tenantId: string, connectorId: string, dryRun: boolean) =>
  call('POST /sync-jobs', { tenantId }, { connector_id: connectorId, dry_run: dryRun, mode: 'auto' });

const unfinished = new Set(['queued', 'running', 'quarantined']);
const runEveryMs = 2_000;

/** A run; read again while it is not finished. */
export const jobQuery = (tenantId: string, jobId: string) =>
  queryOptions({
    ...read('jobs', 'GET /sync-jobs/{jobId}', { tenantId, jobId }),
    refetchInterval: ({ state }) => (state.data && !unfinished.has(state.data.status) ? false : runEveryMs),
  });

/** An identity now, or as it was. */
export const identityQuery = (tenantId: string, identityId: string, at?: string) => ({
  ...read('identity', 'GET /identities/{identityId}', { tenantId, identityId }, { at }),
  placeholderData: (old: Identity | undefined) => (old?.id === identityId ? old : undefined),
});

/** Which value of an identity won and why, and why each record belongs to it. */
export const explanationQuery = (tenantId: string, identityId: string) =>
  read('identity', 'GET /identities/{identityId}/explain', { tenantId, identityId });

const eventsEveryMs = 3_000;

/**
 * Events, the newest first. They are refreshed while the newest page is shown alone: a longer list would move away from
 * what is being read.
 */
export const eventsQuery = (tenantId: string, filters: Input<'GET /events'>, isPaused = false) => ({
  ...cursorPages(['events', tenantId, filters], (cursor) =>
    call('GET /events', { tenantId }, { ...filters, limit: 50, cursor }),
  ),
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    isPaused || (state.data?.pages.length ?? 0) > 1 ? false : unlessStreamed(eventsEveryMs),
});

/** The webhooks of a tenant with their health. */
export const webhooksQuery = (tenantId: string) => ({ ...read('webhooks', 'GET /webhooks', { tenantId }), ...live });

export const webhookQuery = (tenantId: string, webhookId: string) => ({
  ...read('webhooks', 'GET /webhooks/{webhookId}', { tenantId, webhookId }),
  ...live,
});

/** Whether the first entries of the audit chain of a tenant verify; `idsync audit verify` verifies all of them. */
export const auditVerificationQuery = (tenantId: string) => ({
  ...read('audit-verification', 'GET /audit/verification', { tenantId }),
  staleTime: 60_000,
});
