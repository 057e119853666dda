import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@idsync/testing';
import { Attribute, Change, Client } from 'ldapts';
import { haveProgram, listening, startProgram, temporaryFolder } from './processes.js';

const template = '/usr/share/dirsrv/data/template-dse.ldif';

/** The account of the package. As root, the server would change the permissions of /dev/null for the whole machine. */
const account = 'dirsrv';

/** Whether 389 Directory Server is installed with the paths of the Debian package. Root is needed to become `account`. */
export const haveDirectoryServer389 =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  haveProgram('ns-slapd', 'setpriv') &&
  existsSync(template);

export const suffix = 'dc=example,dc=test';
export const manager = 'cn=Directory Manager';
export const password = 'Directory-secret-7';

export interface DirectoryServer389 {
  port: number;
  /** A client bound as the directory manager. */
  client: Client;
  change(dn: string, operation: 'add' | 'replace' | 'delete', type: string, ...values: string[]): Promise<void>;
  /** Sets whether new entries have an entryUUID, as since version 1.4.4, and restarts the server. */
  assignEntryUuid(enabled: boolean): Promise<void>;
  /** Stops the server; `up` restarts it with the same data. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a private 389 Directory Server with the folders `people` and `groups`. */
export async function startDirectoryServer389(): Promise<DirectoryServer389> {
  const { dir, remove } = temporaryFolder('389');
  const port = await freePort();
  writeConfiguration(dir, port);
  execFileSync('chown', ['-R', `${account}:${account}`, dir]);
  const rights = ['--reuid', account, '--regid', account, '--clear-groups', '--pdeathsig', 'KILL'];
  const start = () => startProgram('setpriv', [...rights, 'ns-slapd', '-D', join(dir, 'config'), '-d', '0']);
  let program = start();
  const client = new Client({ url: `ldap://127.0.0.1:${port}`, timeout: 30_000 });
  const signIn = async () => {
    await listening('127.0.0.1', port, program);
    await client.bind(manager, password);
  };
  await signIn();
  await addSuffix(client);
  const change: DirectoryServer389['change'] = async (dn, operation, type, ...values) => {
    await client.modify(dn, new Change({ operation, modification: new Attribute({ type, values }) }));
  };
  const server: DirectoryServer389 = {
    port,
    client,
    change,
    async assignEntryUuid(enabled) {
      await change('cn=entryuuid,cn=plugins,cn=config', 'replace', 'nsslapd-pluginEnabled', enabled ? 'on' : 'off');
      await server.down();
      await server.up();
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
  return server;
}

/** Fills the template of the package, because its installer writes into the folders of the system. */
function writeConfiguration(dir: string, port: number): void {
  const folder = (name: string) => {
    mkdirSync(join(dir, name), { recursive: true });
    return join(dir, name);
  };
  const config = folder('config');
  const values: Record<string, string> = {
    schema_dir: folder('config/schema'),
    config_dir: config,
    cert_dir: config,
    ...Object.fromEntries(
      ['lock', 'tmp', 'ldif', 'bak', 'run', 'inst', 'log', 'db'].map((n) => [`${n}_dir`, folder(n)]),
    ),
    db_home_dir: join(dir, 'db'),
    db_lib: 'bdb',
    fqdn: 'localhost',
    ds_port: String(port),
    ds_user: account,
    rootdn: manager,
    ds_passwd: hashed(password),
    ds_suffix: suffix,
    instance_name: 'test',
    ldapi: join(dir, 'socket'),
    ldapi_enabled: 'off',
    ldapi_autobind: 'off',
  };
  const filled = readFileSync(template, 'utf8').replaceAll(/%(\w+)%/g, (mark, name: string) => values[name] ?? mark);
  writeFileSync(join(config, 'dse.ldif'), filled);
  for (const file of ['config/slapd-collations.conf', 'config/certmap.conf', 'schema/99user.ldif']) {
    copyFileSync(join('/etc/dirsrv', file), join(config, file.replace('config/', '')));
  }
}

function hashed(text: string): string {
  const salt = randomBytes(8);
  const digest = createHash('sha512').update(text).update(salt).digest();
  return `{SSHA512}${Buffer.concat([digest, salt]).toString('base64')}`;
}

async function addSuffix(client: Client): Promise<void> {
  await client.add('cn=userRoot,cn=ldbm database,cn=plugins,cn=config', {
    objectClass: ['extensibleObject', 'nsBackendInstance'],
    cn: 'userRoot',
    'nsslapd-suffix': suffix,
  });
  await client.add(`cn="${suffix}",cn=mapping tree,cn=config`, {
    objectClass: ['extensibleObject', 'nsMappingTree'],
    cn: suffix,
    'nsslapd-state': 'backend',
    'nsslapd-backend': 'userRoot',
  });
  await client.add(suffix, { objectClass: ['domain'], dc: 'example' });
  for (const ou of ['people', 'groups'])
    await client.add(`ou=${ou},${suffix}`, { objectClass: 'organizationalUnit', ou });
}

export function personDn(uid: string): string {
  return `uid=${uid},ou=people,${suffix}`;
}

/** A person as `dsidm user create` writes it: without inetOrgPerson. */
export function nsPerson(uid: string): Record<string, string | string[]> {
  return {
    objectClass: ['nsPerson', 'nsAccount', 'nsOrgPerson', 'posixAccount'],
    uid,
    cn: `Person ${uid}`,
    displayName: `Person ${uid}`,
    mail: `${uid}@example.test`,
    uidNumber: '1000',
    gidNumber: '1000',
    homeDirectory: `/home/${uid}`,
  };
}

/** Adds the entries by which `dsidm role lock` locks the members of a role. */
export async function addLockableRole(client: Client, name: string): Promise<void> {
  const role = {
    objectClass: ['ldapSubEntry', 'nsRoleDefinition', 'nsSimpleRoleDefinition', 'nsManagedRoleDefinition'],
  };
  await client.add(`cn=${name},${suffix}`, { ...role, cn: name });
  await client.add(`cn=nsManagedDisabledRole,${suffix}`, { ...role, cn: 'nsManagedDisabledRole' });
  await client.add(`cn=nsDisabledRole,${suffix}`, {
    objectClass: ['ldapSubEntry', 'nsRoleDefinition', 'nsComplexRoleDefinition', 'nsNestedRoleDefinition'],
    cn: 'nsDisabledRole',
    nsRoleDN: `cn=nsManagedDisabledRole,${suffix}`,
  });
  const container = `cn=nsAccountInactivationTmp,${suffix}`;
  await client.add(container, { objectClass: 'nsContainer', cn: 'nsAccountInactivationTmp' });
  await client.add(`cn="cn=nsDisabledRole,${suffix}",${container}`, {
    objectClass: ['extensibleObject', 'costemplate', 'ldapsubentry'],
    nsAccountLock: 'true',
    cosPriority: '1',
  });
  await client.add(`cn=nsAccountInactivation_cos,${suffix}`, {
    objectClass: ['ldapSubEntry', 'cosSuperDefinition', 'cosClassicDefinition'],
    cosTemplateDn: container,
    cosSpecifier: 'nsRole',
    cosAttribute: 'nsAccountLock operational',
    cn: 'nsAccountInactivation_cos',
  });
}
