export * from './attribute-priorities.js';
export * from './lifecycle-policy.js';
export * from './matching-rules.js';
