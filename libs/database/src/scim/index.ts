export * from './delete-pushed.js';
export * from './read-pushed.js';
export * from './scim-members.js';
export * from './scim-positions.js';
export * from './scim-resources.js';
