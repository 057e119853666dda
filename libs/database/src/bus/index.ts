export * from './outbox.js';
export * from './record-events.js';
