import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnector, type Tenant } from './client.js';

/** Creates a CSV connector with `count` people who are in no other file; resolves with its id. */
export async function connectPeople(tenant: Tenant, sourcesDir: string, name: string, count: number): Promise<string> {
  const rows = Array.from({ length: count }, (_, n) => `${name}-${n},First${n},Last${n},${name}${n}@example.org`);
  await writeFile(join(sourcesDir, `${name}.csv`), `ident,first,last,mail\n${rows.join('\n')}\n`);
  return createConnector(tenant, {
    type: 'csv',
    name,
    config: {
      path: `${name}.csv`,
      external_id: 'ident',
      fields: { employee_number: 'ident', first_name: 'first', last_name: 'last', email: 'mail' },
    },
  });
}
