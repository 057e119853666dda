import { answerOf, api } from '../../data/api';
import { offsetPages } from '../../data/pages';
import type { PlanSearch } from './plan-search';

/** A plan page by page. Each page has also the counts and reasons of the whole plan. */
export const planQuery = (tenantId: string, jobId: string, { action, find }: PlanSearch) =>
  offsetPages(['jobs', tenantId, jobId, 'plan', { action, find }], (offset) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/sync-jobs/{jobId}/plan', {
        params: { path: { tenantId, jobId }, query: { action, external_id: find, limit: 100, offset } },
      }),
    ),
  );
