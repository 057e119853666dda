export { type Gateway, startGateway } from './start.js';
