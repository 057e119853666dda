import { queryOptions } from '@tanstack/react-query';
import { call } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { live } from '../../data/query-client';

export const failingRecordsQuery = (tenantId: string, connectorId: string) =>
  offsetPages(['failing-records', tenantId, connectorId], (offset) =>
    call('GET /connectors/{connectorId}/errors', { tenantId, connectorId }, { limit: 50, offset }),
  );

const shownRuns = 5;

/** The last runs of a source. */
export const lastRunsQuery = (tenantId: string, connectorId: string) =>
  queryOptions({
    queryKey: ['jobs', tenantId, { connectorId, limit: shownRuns }],
    queryFn: () => call('GET /sync-jobs', { tenantId }, { connector_id: connectorId, limit: shownRuns }),
    ...live,
  });

/** Tokens with which an identity provider pushes to a source. */
export const tokensQuery = (tenantId: string, connectorId: string) =>
  queryOptions({
    queryKey: ['connector-tokens', tenantId, connectorId],
    queryFn: () => call('GET /connectors/{connectorId}/tokens', { tenantId, connectorId }, { limit: 100 }),
  });
