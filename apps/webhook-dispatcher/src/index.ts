export { startWebhookDispatcher } from './start.js';
