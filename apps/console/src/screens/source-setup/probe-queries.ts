import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../data/api';

export type ProbeKind = 'test' | 'discover';

const everyMs = 1_000;

/** Calls the source, and waits for the result: a slow source answers after the request. */
async function probe(tenantId: string, connectorId: string, kind: ProbeKind) {
  const params = { path: { tenantId, connectorId } };
  let current =
    kind === 'test'
      ? await answerOf(api.POST('/admin/v1/tenants/{tenantId}/connectors/{connectorId}/test', { params }))
      : await answerOf(api.POST('/admin/v1/tenants/{tenantId}/connectors/{connectorId}/discover', { params }));
  while (current.status === 'queued') {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    current = await answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/connectors/{connectorId}/probes/{probeId}', {
        params: { path: { ...params.path, probeId: current.probe_id } },
      }),
    );
  }
  return current;
}

/** The result of the last test or discovery. It is repeated only when it is asked for. */
export const probeQuery = (tenantId: string, connectorId: string, kind: ProbeKind) =>
  queryOptions({
    queryKey: ['probes', tenantId, connectorId, kind],
    queryFn: () => probe(tenantId, connectorId, kind),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
