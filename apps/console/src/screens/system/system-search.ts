import { type SearchOf, searchOf } from '../../data/search-params';

/** The queue whose dead letters are listed, and the dead letter that is shown in full. */
export const systemSearch = searchOf({ queue: 'text', letter: 'text' });
export type SystemSearch = SearchOf<typeof systemSearch>;
