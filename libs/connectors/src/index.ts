export { answerOf } from './answer-of.js';
export {
  CheckpointExpired,
  type Connector,
  type Cursor,
  divideRecord,
  type FieldProblem,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from './connector.js';
export { type ConnectorSettings, createConnector } from './create-connector.js';
export { type Outage, readThroughOutages } from './read-through-outages.js';
export type { PushedUser, PushedUsers } from './scim-push/scim-push-connector.js';
