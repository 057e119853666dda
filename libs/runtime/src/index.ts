export { BackgroundService, observedApplication, ShutdownFailures } from './background.service.js';
export { EnvironmentError, readEnv, secretVariables } from './env.js';
export {
  brokerAddresses,
  type DirectoryConfig,
  type DispatcherConfig,
  directoryEnvironment,
  dispatcherEnvironment,
  type GatewayConfig,
  gatewayEnvironment,
  migrateEnvironment,
  type StandaloneEnvironment,
  type SyncWorkerConfig,
  standaloneEnvironment,
  syncWorkerEnvironment,
} from './environment.js';
export type { CheckStatus, HealthCheck } from './internal/internal-port.js';
export { type ObservedService, startObserved } from './internal/start-observed.js';
export { addLogContext, ContextValue, type LogContext, withLogContext } from './log-context.js';
export { createLogger, Logger, NestLogger, silentLogger } from './logger.service.js';
export {
  type Collect,
  cached,
  counter,
  durations,
  gauge,
  type Labels,
  type Sample,
  type WatchedGauge,
} from './metrics/metrics.js';
export { checkSchedule, nextRun, type PlannedRun } from './next-run.js';
export { BlockedError, ConnectTimeoutError, connectVetted, vettedConnector } from './outbound/connect.js';
export { hostResolver, type ResolveHost, UnresolvedError } from './outbound/resolve-host.js';
export {
  addressVetter,
  networkList,
  publicNetworks,
  type VetAddress,
  vetPort,
  vetUrl,
} from './outbound/vet-address.js';
export { type RunningService, runService } from './run-service.js';
export { RuntimeModule } from './runtime.module.js';
export { SharedReads } from './shared-reads.js';
export {
  addTraceAttributes,
  linkTrace,
  markSpanFailed,
  type OpenSpan,
  openSpan,
  type TracedWork,
  traced,
  traceparent,
} from './tracing/traced.js';
export { version } from './version.js';
export { closeInTurn, closeTogether, closeWithin, pause, within, withTimeout } from './waiting.js';
