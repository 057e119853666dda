import { call, type OperatorJobPage } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { live } from '../../data/query-client';
import type { RunsSearch } from './runs-search';

export const runsQuery = (tenantId: string, { status, source }: RunsSearch) => ({
  ...offsetPages(['jobs', tenantId, { status, source }], (offset) =>
    call('GET /sync-jobs', { tenantId }, { status, connector_id: source, limit: 50, offset }),
  ),
  ...live,
});

export type OperatorJob = OperatorJobPage['data'][number];
