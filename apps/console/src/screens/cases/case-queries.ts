import { queryOptions } from '@tanstack/react-query';
import { call, type ReviewCase } from '../../data/api';
import { offsetPages } from '../../data/pages';

/** Cases, oldest first. */
export const casesQuery = (tenantId: string, status: ReviewCase['status']) =>
  offsetPages(['cases', tenantId, { status }], (offset) =>
    call('GET /cases', { tenantId }, { status, limit: 50, offset }),
  );

/** One case with the compared values of its record and its candidates. */
export const caseQuery = (tenantId: string, caseId: string) =>
  queryOptions({
    queryKey: ['cases', tenantId, caseId],
    queryFn: () => call('GET /cases/{caseId}', { tenantId, caseId }),
    staleTime: 30_000,
  });
