/** Types of responses, for servers and clients. */
export type * from './approval-resources.js';
export type * from './audit-resources.js';
export type * from './delivery-resources.js';
export type * from './event-resources.js';
export type * from './finding-resources.js';
export type * from './operator-resources.js';
export type * from './portal-resources.js';
export type * from './quota-resources.js';
export type * from './resources.js';
export type * from './service-token-resources.js';
export type * from './session-resources.js';
export type * from './system-resources.js';
