export * from './note-due.js';
export * from './tenant-settings.js';
