// Sources of a tenant whose figures for each person do not depend on its size: twelve fields and groups of N people, N
// accounts, N/60 machines, and a source of few people.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { peopleConnector, peopleHeader, personRow } from './people.mjs';

/** Every 50th person has left and has an account. */
export const leaverEvery = 50;
/** People of a cost center. */
export const ofCostCenter = 30;
const fewPeople = 20;

/** People whose department, city and building have the number 5. */
export const common = { department: 'Department 5', city: 'City 5', building: 'B5', every: 41 * 13 * 7, first: 5 };

const csv = (name, records, config) => ({ type: 'csv', name, records, config: { external_id: 'ident', ...config } });

/** The connectors of the files that begin with `name`. */
export const connectorsOf = (name) => ({
  hr: csv('HR', 'user', {
    path: `${name}-hr.csv`,
    list_separator: ';',
    fields: {
      ...peopleConnector.config.fields,
      user_principal_name: 'login',
      manager_id: 'manager',
      'attributes.cost_center': 'cost',
      groups: 'groups',
      status: 'status',
    },
  }),
  accounts: csv('Accounts', 'account', {
    path: `${name}-accounts.csv`,
    fields: {
      employee_number: 'number',
      identifier: 'identifier',
      display_name: 'display',
      job_title: 'title',
    },
  }),
  machines: csv('Machines', 'machine_identity', {
    path: `${name}-machines.csv`,
    fields: { account_id: 'ident', display_name: 'display', owned_by: 'owner' },
  }),
  few: csv('Few', 'user', {
    path: `${name}-few.csv`,
    fields: { email: 'mail', first_name: 'first', last_name: 'last', job_title: 'title' },
  }),
});

/** Writes the people of HR; those whose number `isListed` does not select are missing. */
export const writeHr = (path, people, isListed = () => true) =>
  writeLines(`${path}-hr.csv`, `${peopleHeader},login,manager,cost,groups,status`, people, (n) => {
    if (!isListed(n)) return undefined;
    const manager = n < 10 ? '' : Math.floor(n / 10);
    const groups = `Group ${n % 50};Site ${n % 200}`;
    const status = n % leaverEvery === 0 ? 'inactive' : 'active';
    return `${personRow(n, `Engineer ${n % 97}`)},login${n}@corp.example.org,${manager},C${Math.floor(n / ofCostCenter)},${groups},${status}`;
  });

/** Writes the accounts; those whose number `isChanged` selects have another title. */
export const writeAccounts = (path, people, isChanged = () => false) =>
  writeLines(
    `${path}-accounts.csv`,
    'ident,number,identifier,display,title',
    people,
    (n) => `A${n},${n},login${n},First${n} Last${n},${isChanged(n) ? 'Senior ' : ''}Engineer`,
  );

export const writeMachines = (path, people) =>
  writeLines(
    `${path}-machines.csv`,
    'ident,display,owner',
    Math.ceil(people / 60),
    (n) => `svc${n},Service ${n},${n * 60 + 1}`,
  );

/** Writes the source of few people; one of them changes in each round. */
export const writeFew = (path, round) =>
  writeLines(
    `${path}-few.csv`,
    'ident,mail,first,last,title',
    fewPeople,
    (n) => `F${n},few${n}@few.example.org,Few${n},Person${n},Round ${Math.floor((round + n) / fewPeople)}`,
  );

async function writeLines(path, header, count, line) {
  const file = createWriteStream(path);
  file.write(`${header}\n`);
  for (let n = 0; n < count; n += 1) {
    const text = line(n);
    if (text !== undefined && !file.write(`${text}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}
