import { between, type Random } from '../support/seeded-random.js';

/** One person in one source. */
export interface Row {
  number: string;
  first: string;
  last: string;
  mail: string;
  title: string;
}

const titles = ['Analyst', 'Engineer', 'Head', 'Clerk', 'Buyer', 'Nurse'];

/** Changes a source at random: people join, are renamed, move, leave and rejoin. Returns the changed numbers. */
export function changeRandomly(random: Random, rows: Map<string, Row>, tenant: number, people: number): string[] {
  const touched = new Set<string>();
  for (let changes = between(random, 1, 6); changes > 0; changes -= 1) {
    const number = String(between(random, 1, people));
    touched.add(number);
    const row = rows.get(number);
    const what = random();
    if (!row) rows.set(number, newRow(random, number, tenant));
    else if (what < 0.3) rows.delete(number);
    else if (what < 0.6) rows.set(number, { ...newRow(random, number, tenant), title: row.title });
    else rows.set(number, { ...row, title: titles[between(random, 0, titles.length - 1)] as string });
  }
  return [...touched];
}

/** Creates names and addresses that are unique, because this run does not test fuzzy matching. */
function newRow(random: Random, number: string, tenant: number): Row {
  const version = between(random, 1, 9_999);
  return {
    number,
    first: `First${number}`,
    last: `Last${number}-${version}`,
    mail: `person${number}.${version}@tenant${tenant}.example`,
    title: titles[between(random, 0, titles.length - 1)] as string,
  };
}

/** A user of a source as the API shows it. */
export function userLine(externalId: string, { mail, first, last, title }: Row): string {
  return ['user', externalId, mail, first, last, title, 'active'].join(' ');
}

export function accountLine(externalId: string, { mail, first, last, title }: Row): string {
  return ['account', externalId, mail, first, last, title, 'active'].join(' ');
}
