export { startDirectory } from './start.js';
