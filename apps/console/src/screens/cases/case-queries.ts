import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ReviewCase } from '../../data/api';
import { offsetPages } from '../../data/pages';

/** Cases, oldest first. */
export const casesQuery = (tenantId: string, status: ReviewCase['status']) =>
  offsetPages(['cases', tenantId, { status }], (offset) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/cases', {
        params: { path: { tenantId }, query: { status, limit: 50, offset } },
      }),
    ),
  );

/** One case with the compared values of its record and its candidates. */
export const caseQuery = (tenantId: string, caseId: string) =>
  queryOptions({
    queryKey: ['cases', tenantId, caseId],
    queryFn: () =>
      answerOf(api.GET('/admin/v1/tenants/{tenantId}/cases/{caseId}', { params: { path: { tenantId, caseId } } })),
    staleTime: 30_000,
  });
