import * as bus from './bus.entities.js';
import * as connector from './connector.entities.js';
import * as directory from './directory.entities.js';
import * as events from './events.entities.js';
import * as gateway from './gateway.entities.js';
import * as history from './history.entities.js';
import * as matching from './matching.entities.js';
import * as recordErrors from './record-errors.entities.js';
import * as scim from './scim.entities.js';
import * as sweep from './sweep.entities.js';
import * as sync from './sync.entities.js';
import { TenantEntity } from './tenant.entities.js';
import * as webhookDelivery from './webhook-delivery.entities.js';

/** All entities of the schema. */
export const entities = {
  TenantEntity,
  ...bus,
  ...connector,
  ...directory,
  ...events,
  ...gateway,
  ...history,
  ...matching,
  ...recordErrors,
  ...scim,
  ...sweep,
  ...sync,
  ...webhookDelivery,
};
