/** Types of responses, for servers and clients. */
export type * from './delivery-resources.js';
export type * from './operator-resources.js';
export type * from './resources.js';
