export { canReadOne } from './can-read-one.js';
export {
  CheckpointExpired,
  type Connector,
  type Cursor,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from './connector.js';
export { type ConnectorSettings, createConnector } from './create-connector.js';
export { checkSchedule, nextRun, type PlannedRun } from './next-run.js';
export type { PushedUsers } from './scim-push/scim-push-connector.js';
export { checkSourcePath } from './source-path.js';
