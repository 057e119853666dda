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
export { createLogger, NestLogger } from './logger.service.js';
export { type RunningService, runService } from './run-service.js';
