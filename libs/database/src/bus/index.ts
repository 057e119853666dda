export * from './deleted-tenants.js';
export * from './outbox.js';
export * from './record-events.js';
