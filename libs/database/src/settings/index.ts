export * from './attribute-priorities.js';
export * from './finding-policy.js';
export * from './lifecycle-policy.js';
export * from './matching-rules.js';
export * from './note-due.js';
export * from './tenant-quotas.js';
