const names = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nats-io/transport-node',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'amqp-connection-manager',
  'class-transformer',
  'class-validator',
  'ioredis',
  'kafkajs',
  'mqtt',
];

/** True for packages that libraries import only for features that idsync does not use, and do not find. */
export function isAbsent(id, importer = '') {
  return importer.includes('/node_modules/') && names.some((name) => id === name || id.startsWith(`${name}/`));
}

/**
 * Plugin: `@nestjs/typeorm` loads a second copy of TypeORM with `require`, to find classes that TypeORM 1 no longer has.
 */
export const removedTypeormClasses = {
  name: 'removed-typeorm-classes',
  load: {
    filter: { id: /@nestjs\/typeorm\/dist\/common\/typeorm-compat\.js$/ },
    handler: () => 'export const Connection = undefined, AbstractRepository = undefined;',
  },
};
