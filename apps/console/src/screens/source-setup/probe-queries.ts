import { queryOptions } from '@tanstack/react-query';
import { call } from '../../data/api';

export type ProbeKind = 'test' | 'discover';

const everyMs = 1_000;

/** Calls the source, and waits for the result: a slow source answers after the request. */
async function probe(tenantId: string, connectorId: string, kind: ProbeKind) {
  const ids = { tenantId, connectorId };
  let current =
    kind === 'test'
      ? await call('POST /connectors/{connectorId}/test', ids)
      : await call('POST /connectors/{connectorId}/discover', ids);
  while (current.status === 'queued') {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    current = await call('GET /connectors/{connectorId}/probes/{probeId}', { ...ids, probeId: current.probe_id });
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
