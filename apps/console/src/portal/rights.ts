import type { WebhookList } from '@idsync/client/operator';

/** Rights of the link. */
export type Rights = NonNullable<WebhookList['portal']>;

export const maySend = ({ access }: Rights): boolean => access !== 'read';
export const mayChange = ({ access }: Rights): boolean => access === 'change';
