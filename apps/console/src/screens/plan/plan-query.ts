import { call } from '../../data/api';
import { offsetPages } from '../../data/pages';
import type { PlanSearch } from './plan-search';

/** A plan page by page. Each page has also the counts and reasons of the whole plan. */
export const planQuery = (tenantId: string, jobId: string, { action, find }: PlanSearch) =>
  offsetPages(['jobs', tenantId, jobId, 'plan', { action, find }], (offset) =>
    call('GET /sync-jobs/{jobId}/plan', { tenantId, jobId }, { action, external_id: find, limit: 100, offset }),
  );
