/**
 * Sources of the names that tests import, so that no test uses an old `dist`. The first pattern that matches counts. Jest
 * follows them from a changed file to its tests, and the module hooks load them. Paths start at the root.
 */
export const sourceNames = [
  [/^fast-check$/, 'test/setup/fast-check.mjs'],
  [
    /^@idsync\/(client|contracts|database|embedded-postgres|messaging|connectors|runtime|testing)$/,
    'libs/$1/src/index.ts',
  ],
  [/^@idsync\/client\/(operator|subscriber)$/, 'libs/client/src/$1.ts'],
  [/^@idsync\/contracts\/parse-url$/, 'libs/contracts/src/parse-url.ts'],
  [/^@idsync\/database\/(\w+)$/, 'libs/database/src/$1/index.ts'],
  [/^@idsync\/(gateway|directory|sync-worker|webhook-dispatcher|standalone)$/, 'apps/$1/src/index.ts'],
];
