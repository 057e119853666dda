export * from './tenant-settings.js';
