export { startStandalone } from './start.js';
