import * as approval from './approval.entities.js';
import * as audit from './audit.entities.js';
import * as connector from './connector.entities.js';
import * as directory from './directory.entities.js';
import * as events from './events.entities.js';
import * as findings from './findings.entities.js';
import * as gateway from './gateway.entities.js';
import * as history from './history.entities.js';
import * as matching from './matching.entities.js';
import * as quota from './quota.entities.js';
import * as recordErrors from './record-errors.entities.js';
import * as session from './session.entities.js';
import * as suppression from './suppression.entities.js';
import * as sweep from './sweep.entities.js';
import * as sync from './sync.entities.js';
import * as tenant from './tenant.entities.js';
import * as webhookDelivery from './webhook-delivery.entities.js';

/** The tables that repositories read or write. */
export const entities = {
  ...approval,
  ...audit,
  ...connector,
  ...directory,
  ...events,
  ...findings,
  ...gateway,
  ...history,
  ...matching,
  ...quota,
  ...recordErrors,
  ...session,
  ...suppression,
  ...sweep,
  ...sync,
  ...tenant,
  ...webhookDelivery,
};
