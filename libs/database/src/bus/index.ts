export { shownDetails } from '../event-details.js';
export * from './dead-letters.js';
export * from './outbox.js';
export * from './record-events.js';
export * from './service-processes.js';
