export { type ServiceRole, serviceRoles } from '../roles.js';
export { createDatabase, databaseUrl, dropDatabase } from './create-database.js';
export { describeSchema } from './describe-schema.js';
export { expireLeases } from './expire-leases.js';
export { type MigrationReport, migrate, migrateDown } from './migrate.js';
export { SchemaVersionError } from './schema-version.js';
export { autoscalerRole } from './withhold-privileges.js';
