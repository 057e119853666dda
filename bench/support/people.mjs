// Users with eight attributes as columns of a CSV file, and identities as a sync creates them.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export const peopleHeader = 'ident,first,last,mail,phone,title,department,city,building';

/** Returns the row of the nth person. */
export function personRow(n, title) {
  return `${n},First${n},Last${n},person${n}@example.org,+49 30 ${n},${title},Department ${n % 41},City ${n % 13},B${n % 7}`;
}

/** Writes the file of the connector. People whose number `isChanged` selects get another title. */
export async function writePeople(path, records, isChanged = () => false) {
  const file = createWriteStream(path);
  file.write(`${peopleHeader}\n`);
  for (let n = 0; n < records; n += 1) {
    const title = `${isChanged(n) ? 'Senior ' : ''}Engineer ${n % 97}`;
    if (!file.write(`${personRow(n, title)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** Connector for `people.csv`, as the operator API expects it. */
export const peopleConnector = {
  type: 'csv',
  name: 'People',
  config: {
    path: 'people.csv',
    external_id: 'ident',
    fields: {
      employee_number: 'ident',
      first_name: 'first',
      last_name: 'last',
      email: 'mail',
      'attributes.phone': 'phone',
      job_title: 'title',
      departments: 'department',
      'attributes.city': 'city',
      'attributes.building': 'building',
    },
  },
};

/** Fills the counters and list positions for identities that were inserted with bare SQL; `rows` runs a statement. */
export async function countIdentities(rows) {
  await rows(
    `insert into directory_counters select tenant_id, 'identity', status, count(*) from identities group by 1, 3`,
  );
  await rows(
    `insert into list_positions
     select tenant_id, 'identity', level, floor(extract(epoch from created_at) * 1000)::bigint >> (6 + 6 * level), status, count(*)
       from identities cross join generate_series(0, 5) as level group by 1, 3, 4, 5`,
  );
}
