export { BusStrategy } from './bus.strategy.js';
export { type MessageContext, PermanentError } from './delivery.js';
export type { BusLogger } from './driver.js';
export { type Chore, Housekeeping } from './housekeeping.js';
export { type Bus, type BusOptions, openBus } from './open-bus.js';
export { pause } from './pause.js';
export { patternsOf } from './queues-of.js';
export { startConsumers } from './start-consumers.js';
export { WakeUp } from './wake-up.js';
