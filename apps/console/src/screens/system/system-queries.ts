import { queryOptions } from '@tanstack/react-query';
import { callInstallation, type operations } from '../../data/api';
import { cursorPages, live } from '../../data/query-client';

export type System = operations['adminGetSystem']['responses'][200]['content']['application/json'];
export type Process = System['processes'][number];
export type Queue = System['queues'][number];
export type DeadLetter =
  operations['adminListSystemDeadLetters']['responses'][200]['content']['application/json']['data'][number];
export type DeadLetterDetails = operations['adminGetSystemDeadLetter']['responses'][200]['content']['application/json'];
type Query = NonNullable<operations['adminListSystemDeadLetters']['parameters']['query']>;

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: () => callInstallation('GET /system', {}),
  ...live,
});

export const deadLettersQuery = (queue: string | undefined) => ({
  ...cursorPages(['dead-letters', queue], (cursor) =>
    callInstallation('GET /system/dead-letters', {}, { queue: queue as Query['queue'], limit: 50, cursor }),
  ),
  ...live,
});

export const deadLetterQuery = (deadLetterId: string) =>
  queryOptions({
    // Not a part of the list's key: a letter that was sent again or discarded is not read again.
    queryKey: ['dead-letter', deadLetterId],
    queryFn: () => callInstallation('GET /system/dead-letters/{deadLetterId}', { deadLetterId }),
  });
