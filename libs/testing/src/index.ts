export { type BrokerVhost, createVhost, hasBroker } from './broker-vhost.js';
export { type ConnectorSeed, DirectoryFixture } from './directory-fixture.js';
export { freePort } from './free-port.js';
export { LatePort } from './late-port.js';
export { PrivateBroker } from './private-broker.js';
export { PrivateMariaDb } from './private-mariadb.js';
export { ServiceDatabase } from './service-database.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
