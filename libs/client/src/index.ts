export { type ClientOptions, IdsyncClient } from './client.js';
export { EventFeed, type FollowOptions } from './event-feed.js';
export type * from './generated/api.js';
export { IdsyncError } from './idsync-error.js';
export { type Page, PagedList } from './paged-list.js';
export { retrying } from './retry.js';
export { verifyWebhook, type WebhookRequest, WebhookVerificationError } from './verify-webhook.js';
