import { call, type operations } from './api';
import { cursorPages } from './pages';

type Filters = Omit<
  NonNullable<operations['adminListIdentities']['parameters']['query']>,
  'cursor' | 'limit' | 'offset'
>;

export const readPeople = (tenantId: string, query: Filters & { cursor?: string; limit?: number }) =>
  call('GET /identities', { tenantId }, query);

export const peopleQuery = (tenantId: string, filters: Filters) =>
  cursorPages(['people', tenantId, filters], (cursor) => readPeople(tenantId, { ...filters, limit: 50, cursor }));
