export * from './access-requests.js';
export * from './connector-requests.js';
export * from './delivery-requests.js';
export * from './directory-requests.js';
export * from './operator-requests.js';
export * from './portal-requests.js';
export { defaultPageSize, maxChangesOffset, maxPageSize } from './request-parts.js';
export * from './system-requests.js';
export * from './webhook-requests.js';
