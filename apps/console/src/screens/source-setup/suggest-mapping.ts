import { fieldsOf, type MappedField, newField } from './mapping.js';

/** Usual names of the fields, without case, spaces and punctuation, most certain first. */
const usual: Record<string, readonly string[]> = {
  email: ['mail', 'email', 'emailaddress', 'workemail', 'primaryemail', 'emailsvalue'],
  user_principal_name: ['userprincipalname', 'upn', 'principalname'],
  identifier: ['samaccountname', 'uid', 'login', 'username', 'loginname'],
  first_name: ['givenname', 'firstname', 'first', 'forename', 'namegivenname', 'vorname'],
  last_name: ['sn', 'surname', 'lastname', 'last', 'familyname', 'namefamilyname', 'nachname'],
  display_name: ['displayname', 'fullname', 'cn', 'name'],
  job_title: ['title', 'jobtitle', 'position', 'role'],
  departments: ['department', 'departments', 'dept', 'orgunit', 'costcenter', 'abteilung'],
  employee_number: [
    'employeenumber',
    'employeeid',
    'empno',
    'empid',
    'personnelnumber',
    'staffno',
    'staffnumber',
    'ident',
    'personalnummer',
  ],
  manager_id: ['manager', 'managerid', 'supervisor', 'reportsto'],
  status: ['status', 'state', 'employmentstatus'],
  hire_date: ['hiredate', 'hired', 'startdate', 'started', 'joined', 'eintritt'],
  termination_date: ['terminationdate', 'enddate', 'ends', 'left', 'leavedate', 'austritt'],
  classification: ['classification'],
  owned_by: ['owner', 'ownedby'],
};
const permanentIds = [
  'objectguid',
  'entryuuid',
  'id',
  'uuid',
  'guid',
  'externalid',
  ...(usual.employee_number ?? []),
  'dn',
  'uid',
];

const bare = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

function find(found: readonly string[], names: readonly string[] | undefined): string | undefined {
  for (const name of names ?? []) {
    const match = found.find((each) => bare(each) === name);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Rows for the fields of a source whose names are usual. */
export function suggestFields(records: string, found: readonly string[]): MappedField[] {
  return (fieldsOf[records] ?? []).flatMap((field) => {
    const from = find(found, usual[field]);
    return from === undefined ? [] : [newField(field, from)];
  });
}

/** The field that probably identifies a record permanently. */
export function suggestExternalId(found: readonly string[]): string | undefined {
  return find(found, permanentIds);
}
