export * from './claim-deliveries.js';
export * from './endpoints.js';
export * from './erase-payloads.js';
export * from './event-bodies.js';
export * from './fan-out.js';
export * from './finish-attempts.js';
export * from './purge.js';
export * from './replays.js';
