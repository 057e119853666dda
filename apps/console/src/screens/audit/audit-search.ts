import { type SearchOf, searchOf } from '../../data/search-params';

/** The filters, and the sequence of the entry that is shown in full. */
export const auditSearch = searchOf({ actor: 'text', action: 'text', resource: 'text', entry: 'text' });
export type AuditSearch = SearchOf<typeof auditSearch>;
