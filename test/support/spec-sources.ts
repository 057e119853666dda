import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnector, type Tenant } from './client.js';

/** More than the largest page, so that the page limit takes effect. */
export const peopleCount = 205;

const number = (index: number) => String(1000 + index);
const email = (index: number) => `person${index}@example.com`;
/** The first person has every field; some are inactive; the last one is deleted with `lastIsGone`. */
const statusOf = (index: number, lastIsGone: boolean) => {
  if (index === peopleCount - 1) return lastIsGone ? 'deleted' : 'active';
  return index === 1 ? 'suspended' : index === 2 ? 'inactive' : index === 3 ? 'pending' : 'active';
};

/** A pending person starts on a day far in the future. */
const hiredOn = (index: number) => (index === 3 ? '2999-01-01' : '2020-02-03');

export async function writePeople(sourcesDir: string, lastIsGone: boolean): Promise<void> {
  const lines = Array.from({ length: peopleCount }, (_, index) =>
    [
      number(index),
      `upn${index}@example.com`,
      `Person ${index}`,
      email(index),
      'Engineer',
      'Person',
      String(index),
      statusOf(index, lastIsGone),
      hiredOn(index),
      '2999-12-31',
      'admin|auditor',
      'staff|vpn',
      'Research',
      '+49 30 1234',
      // Known in every batch, unlike another person.
      number(index),
    ].join(','),
  );
  const head = 'number,upn,name,email,title,first,last,status,hired,leaves,roles,groups,departments,phone,manager';
  await writeFile(join(sourcesDir, 'people.csv'), `${head}\n${lines.join('\n')}\n`);
}

export async function writeAccountsAndMachines(sourcesDir: string): Promise<void> {
  await writeFile(
    join(sourcesDir, 'accounts.csv'),
    `dn,number,login,name,first,last,title,status,system,groups
cn=p0,${number(0)},person0,Person 0,Person,0,Engineer,active,crm,vpn
cn=nobody,9999,nobody,Nobody,No,Body,None,active,crm,
`,
  );
  await writeFile(
    join(sourcesDir, 'machines.csv'),
    `id,owner_mail,account,name,class,owner,manager,heir,risk,status
bot-1,${email(0)},acc-1,Deploy bot,ci_cd,person0,person1,person4,42,active
`,
  );
  await writeFile(join(sourcesDir, 'few.csv'), `number,name\n1,Other One\n2,Other Two\n`);
}

export async function createSpecConnectors(
  tenant: Tenant,
): Promise<{ people: string; accounts: string; machines: string }> {
  const people = await createConnector(tenant, {
    type: 'csv',
    name: 'People',
    priority: 10,
    records: 'user',
    config: {
      path: 'people.csv',
      external_id: 'number',
      list_separator: '|',
      fields: {
        employee_number: 'number',
        user_principal_name: 'upn',
        display_name: 'name',
        email: 'email',
        job_title: 'title',
        first_name: 'first',
        last_name: 'last',
        status: 'status',
        hire_date: 'hired',
        termination_date: 'leaves',
        roles: 'roles',
        groups: 'groups',
        departments: 'departments',
        'attributes.phone': 'phone',
        manager_id: 'manager',
      },
    },
  });
  const accounts = await createConnector(tenant, {
    type: 'csv',
    name: 'Accounts',
    priority: 20,
    records: 'account',
    config: {
      path: 'accounts.csv',
      external_id: 'dn',
      fields: {
        employee_number: 'number',
        identifier: 'login',
        display_name: 'name',
        first_name: 'first',
        last_name: 'last',
        job_title: 'title',
        status: 'status',
        source_system_id: 'system',
        groups: 'groups',
      },
    },
  });
  const machines = await createConnector(tenant, {
    type: 'csv',
    name: 'Machines',
    priority: 30,
    records: 'machine_identity',
    config: {
      path: 'machines.csv',
      external_id: 'id',
      fields: {
        email: 'owner_mail',
        account_id: 'account',
        display_name: 'name',
        classification: 'class',
        owned_by: 'owner',
        manager_id: 'manager',
        technical_inheritor: 'heir',
        risk_score: 'risk',
        status: 'status',
      },
    },
  });
  return { people, accounts, machines };
}

export async function createFewPeople(tenant: Tenant): Promise<string> {
  return createConnector(tenant, {
    type: 'csv',
    name: 'Few',
    config: { path: 'few.csv', external_id: 'number', fields: { display_name: 'name' } },
  });
}
