import { answerOf, api, type OperatorJobPage } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { live } from '../../data/query-client';
import type { RunsSearch } from './runs-search';

export const runsQuery = (tenantId: string, { status, source }: RunsSearch) => ({
  ...offsetPages(['jobs', tenantId, { status, source }], (offset) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/sync-jobs', {
        params: { path: { tenantId }, query: { status, connector_id: source, limit: 50, offset } },
      }),
    ),
  ),
  ...live,
});

export type OperatorJob = OperatorJobPage['data'][number];
