import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@idsync/testing';
import { Attribute, Change, Client } from 'ldapts';
import { certificates, haveProgram, listening, startProgram, temporaryFolder } from './processes.js';

const schemaFolder = '/etc/ldap/schema';

/** Whether OpenLDAP is installed with the paths of the Debian package. */
export const haveSlapd = haveProgram('slapd', 'slapadd', 'openssl', 'setpriv') && existsSync(schemaFolder);

export const suffix = 'dc=example,dc=test';
export const admin = `cn=admin,${suffix}`;
export const password = 'slapd-secret-7';

export interface Slapd {
  url: string;
  ldapsUrl: string;
  ca: string;
  /** A client bound as the administrator. */
  client: Client;
  change(dn: string, operation: 'add' | 'replace' | 'delete', type: string, ...values: string[]): Promise<void>;
  /** Stops the server; `up` restarts it with the same data. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a private OpenLDAP server with these entries. */
export async function startSlapd(ldif: string, settings = ''): Promise<Slapd> {
  const { dir, remove } = temporaryFolder('slapd');
  const tls = certificates(dir, ['localhost', '127.0.0.1']);
  const file = (name: string) => join(dir, name);
  mkdirSync(file('data'));
  const schemas = ['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include ${schemaFolder}/${name}.schema`);
  writeFileSync(
    file('slapd.conf'),
    `${schemas.join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
pidfile ${file('slapd.pid')}
TLSCACertificateFile ${tls.ca}
TLSCertificateFile ${tls.certificate}
TLSCertificateKeyFile ${tls.key}
sizelimit 500
database mdb
maxsize 268435456
directory ${file('data')}
suffix "${suffix}"
rootdn "${admin}"
rootpw ${password}
index objectClass eq
dbnosync
overlay ppolicy
${settings}
`,
  );
  writeFileSync(file('data.ldif'), ldif);
  execFileSync('/usr/sbin/slapadd', ['-q', '-f', file('slapd.conf'), '-l', file('data.ldif')], { stdio: 'pipe' });
  const [port, securePort] = [await freePort(), await freePort()];
  const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${securePort}`;
  const start = () => startProgram('slapd', ['-d', '0', '-f', file('slapd.conf'), '-h', urls]);
  let program = start();
  const client = new Client({ url: `ldap://127.0.0.1:${port}`, timeout: 30_000 });
  const signIn = async () => {
    await listening('127.0.0.1', port, program);
    await client.bind(admin, password);
  };
  await signIn();
  return {
    url: `ldap://127.0.0.1:${port}`,
    ldapsUrl: `ldaps://127.0.0.1:${securePort}`,
    ca: readFileSync(tls.ca, 'utf8'),
    client,
    async change(dn, operation, type, ...values) {
      await client.modify(dn, new Change({ operation, modification: new Attribute({ type, values }) }));
    },
    async down() {
      await client.unbind();
      await program.stop();
    },
    async up() {
      program = start();
      await signIn();
    },
    async stop() {
      await client.unbind();
      await program.stop();
      remove();
    },
  };
}

/** Returns LDIF of a tree with `count` people. */
export function peopleLdif(count: number): string {
  const entries = [
    `dn: ${suffix}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example`,
    ...['people', 'groups', 'services'].map(
      (ou) => `dn: ou=${ou},${suffix}\nobjectClass: organizationalUnit\nou: ${ou}`,
    ),
    ...Array.from({ length: count }, (_, index) => personLdif(`user${index}`)),
  ];
  return `${entries.join('\n\n')}\n`;
}

function personLdif(uid: string): string {
  return Object.entries({ dn: personDn(uid), ...person(uid) })
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
    .join('\n');
}

export function personDn(uid: string): string {
  return `uid=${uid},ou=people,${suffix}`;
}

export function person(uid: string): Record<string, string | string[]> {
  return { objectClass: ['inetOrgPerson'], uid, cn: `Person ${uid}`, sn: uid, mail: `${uid}@example.test` };
}
