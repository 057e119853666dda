import { matchingKeys, recordFields } from '@idsync/contracts/fixed-values';

/** How a value of the source becomes a value of idsync. */
export type Conversion = 'none' | 'trim' | 'lower' | 'upper' | 'split' | 'date' | 'map' | 'constant' | 'steps';

export interface MappedField {
  /** Distinguishes rows while they are edited. */
  key: string;
  field: string;
  from: string;
  conversion: Conversion;
  /** Separator, form of a date, pairs `A = active` on lines, or steps as JSON. */
  argument: string;
}

export const conversionNames: Record<Conversion, string> = {
  none: 'As it is',
  trim: 'Trim spaces',
  lower: 'Lower case',
  upper: 'Upper case',
  split: 'Split at…',
  date: 'Date…',
  map: 'Replace values…',
  constant: 'Always this text',
  steps: 'Several steps…',
};

export const dateForms = ['iso', 'ymd', 'dmy', 'mdy', 'excel', 'excel_1904', 'unix', 'unix_ms', 'windows'];

/** Fields that can be mapped, by kind of record; `attributes.<name>` can be mapped always. */
export function fieldsOf(records: keyof typeof recordFields): readonly string[] {
  const { text, list, date, integer } = recordFields[records];
  return [...new Set([...matchingKeys, ...text, 'status', ...date, ...list, ...integer])];
}

let nextKey = 1;

export function newField(field = '', from = ''): MappedField {
  nextKey += 1;
  return { key: `${Date.now()}-${nextKey}`, field, from, conversion: 'none', argument: '' };
}

/** The right side of `config.fields` for a row. Throws if its steps are no JSON. */
function toSource({ from, conversion, argument }: MappedField): unknown {
  if (conversion === 'none') return from;
  if (conversion === 'constant') return { value: from };
  return { from, transform: stepsOf(conversion, argument) };
}

function stepsOf(conversion: Conversion, argument: string): unknown[] {
  if (conversion === 'split') return [{ split: argument || ';' }, 'trim'];
  if (conversion === 'date') return [{ date: argument || 'iso' }];
  if (conversion === 'map') return [pairsOf(argument)];
  if (conversion === 'steps') return JSON.parse(argument) as unknown[];
  return [conversion];
}

/** `A = active` on each line; `* = inactive` is for all other values. */
function pairsOf(text: string): { map: Record<string, string>; otherwise?: string } {
  const pairs = text.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
  const otherwise = pairs.find(([value]) => value === '*')?.[1];
  return {
    map: Object.fromEntries(pairs.filter(([value]) => value !== '*')),
    ...(otherwise !== undefined && { otherwise }),
  };
}

/** The row for a right side of `config.fields`. */
export function fromSource(field: string, source: unknown): MappedField {
  const row = newField(field);
  if (typeof source === 'string') return { ...row, from: source };
  const { from = '', value, transform = [] } = source as { from?: string; value?: string; transform?: unknown[] };
  if (value !== undefined) return { ...row, from: value, conversion: 'constant' };
  const [step, second] = transform;
  const steps: MappedField = { ...row, from, conversion: 'steps', argument: JSON.stringify(transform) };
  if (transform.length === 2 && second === 'trim' && isObject(step) && typeof step.split === 'string')
    return { ...row, from, conversion: 'split', argument: step.split };
  if (transform.length !== 1) return steps;
  if (step === 'trim' || step === 'lower' || step === 'upper') return { ...row, from, conversion: step };
  if (isObject(step) && typeof step.date === 'string') return { ...row, from, conversion: 'date', argument: step.date };
  if (isObject(step) && isObject(step.map)) {
    const pairs = Object.entries(step.map).map(([value, text]) => `${value} = ${String(text)}`);
    if (step.otherwise !== undefined) pairs.push(`* = ${String(step.otherwise)}`);
    return { ...row, from, conversion: 'map', argument: pairs.join('\n') };
  }
  return steps;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `config.fields` of the rows that are complete; the last of two rows for the same field wins. */
export function toFields(rows: readonly MappedField[]): Record<string, unknown> {
  const complete = rows.filter(({ field, from }) => field !== '' && from !== '');
  return Object.fromEntries(complete.map((row) => [row.field, toSource(row)]));
}

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
export function suggestFields(records: keyof typeof recordFields, found: readonly string[]): MappedField[] {
  return fieldsOf(records).flatMap((field) => {
    const from = find(found, usual[field]);
    return from === undefined ? [] : [newField(field, from)];
  });
}

/** The field that probably identifies a record permanently. */
export function suggestExternalId(found: readonly string[]): string | undefined {
  return find(found, permanentIds);
}
