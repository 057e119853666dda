export { startWebhookDispatcher, type WebhookDispatcherOptions } from './start.js';
