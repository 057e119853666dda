export { closeInTurn, closeTogether, farewell } from './close.js';
export { EnvironmentError, readEnv } from './env.js';
export {
  directoryEnvironment,
  dispatcherEnvironment,
  gatewayEnvironment,
  migrateEnvironment,
  type StandaloneEnvironment,
  standaloneEnvironment,
  syncWorkerEnvironment,
} from './environment.js';
export type { CheckStatus, HealthCheck } from './internal/readiness.js';
export { type ObservedService, startObserved } from './internal/start-observed.js';
export { type LogContext, noteInLogs, withLogContext } from './log-context.js';
export { createLogger, NestLogger } from './logger.service.js';
export {
  counter,
  durations,
  gauge,
  type Labels,
  type Look,
  type Sample,
  seldom,
  type WatchedGauge,
} from './metrics/metrics.js';
export { BlockedError, ConnectTimeoutError, connectVetted, vettedConnector } from './outbound/connect.js';
export { hostResolver, type ResolveHost, UnresolvedError } from './outbound/resolve-host.js';
export { addressVetter, publicNetworks, type VetAddress, vetPort, vetUrl } from './outbound/vet-address.js';
export { type RunningService, runService } from './run-service.js';
export {
  linkTrace,
  noteFailure,
  noteInTrace,
  type OpenSpan,
  openSpan,
  type TracedWork,
  traced,
  traceparent,
} from './tracing/traced.js';
export { within } from './within.js';
