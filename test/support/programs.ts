import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the program of a service, or `migrate`, in a checkout: the bundle, or what tsc compiled if there is none. */
export function programIn(dir: string, name: string): string {
  const bundle = join(dir, 'bundle', `${name}.js`);
  if (existsSync(bundle)) return bundle;
  return join(dir, name === 'migrate' ? 'libs/database/dist/migrate-main.js' : `apps/${name}/dist/main.js`);
}

/** Returns the dispatcher with the settings of its argument in a checkout, likewise. */
export function shortLeaseDispatcherIn(dir: string): string {
  const bundle = join(dir, 'test/dist/short-lease-dispatcher.js');
  return existsSync(bundle) ? bundle : join(dir, 'apps/webhook-dispatcher/test/short-lease-dispatcher.mjs');
}
