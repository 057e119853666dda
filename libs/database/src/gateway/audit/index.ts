export * from './anchors.js';
export * from './append.js';
export type { AuditActor, AuditInput, SealedEntry } from './chain.js';
export * from './list.js';
export * from './verify.js';
