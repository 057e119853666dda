import { type SearchOf, searchOf } from '../../data/search-params';

export const statuses = [
  'queued',
  'running',
  'quarantined',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;

export const runsSearch = searchOf({ status: statuses, source: 'text' });
export type RunsSearch = SearchOf<typeof runsSearch>;
