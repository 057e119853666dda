export { type DirectoryOptions, startDirectory } from './start.js';
