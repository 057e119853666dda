export { brokerPermissions } from './amqp/assert-topology.js';
export { Bus, type BusOptions } from './bus.js';
export { BusModule } from './bus.module.js';
export { BusStrategy } from './bus.strategy.js';
export { type MessageContext, PermanentError } from './delivery.js';

export { type Chore, Housekeeping } from './housekeeping.js';
export { On } from './on.decorator.js';
export { silentAfterSeconds } from './process-reports.js';
export type { QueueState } from './queue-states.js';
export { patternsOf } from './queues-of.js';
export { republish, republishLost } from './republish.js';
export { serviceChecks } from './service-checks.js';
export { startWorker } from './start-worker.js';
export { WakeUp } from './wake-up.js';
export { type WorkerConfig, WorkerModule } from './worker.module.js';
