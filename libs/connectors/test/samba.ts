import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { certificates, haveProgram, listening, startProgram, temporaryFolder } from './processes.js';

const python = '/usr/bin/python3';

/** Samba as a domain controller has no port setting, so it needs a separate address and root for port 389. */
export const haveSamba =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  haveProgram('samba', 'openssl', 'setpriv') &&
  haveModule();

export const domain = 'DC=example,DC=test';
export const administrator = `CN=Administrator,CN=Users,${domain}`;
export const password = 'Samba-secret-7';

export interface Samba {
  address: string;
  ca: string;
  client: Client;
  change(dn: string, operation: 'add' | 'replace' | 'delete', type: string, ...values: string[]): Promise<void>;
  /** Stops the server; `up` restarts it with the same data. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

const provision = `
import logging, sys
from samba.auth import system_session
from samba.provision import provision
provision(logging.getLogger('provision'), system_session(), targetdir=sys.argv[1], realm='EXAMPLE.TEST', domain='EXAMPLE',
  hostname='dc1', hostip=sys.argv[2], serverrole='active directory domain controller', adminpass=sys.argv[3],
  dns_backend='NONE', skip_sysvolacl=True, dom_for_fun_level=4)
`;

/** Writes contacts and a group of them into the database before the controller starts. */
const populate = `
import sys
from samba.auth import system_session
from samba.param import LoadParm
from samba.samdb import SamDB
lp = LoadParm()
lp.load(sys.argv[1] + '/etc/smb.conf')
db = SamDB(url=sys.argv[1] + '/private/sam.ldb', session_info=system_session(), lp=lp)
names = ['CN=contact%d,OU=Contacts,${domain}' % n for n in range(int(sys.argv[2]))]
db.transaction_start()
db.add({'dn': 'OU=Contacts,${domain}', 'objectClass': 'organizationalUnit'})
for n, dn in enumerate(names):
    db.add({'dn': dn, 'objectClass': 'contact', 'mail': 'contact%d@example.test' % n})
db.add({'dn': 'CN=Everybody,OU=Contacts,${domain}', 'objectClass': 'group', 'member': names})
db.transaction_commit()
`;
/** Starts a private Active Directory domain controller at a separate address. */
export async function startSamba(contacts = 0): Promise<Samba> {
  const { dir, remove } = temporaryFolder('samba');
  const part = () => randomInt(1, 254);
  const address = `127.${part()}.${part()}.${part()}`;
  const tls = certificates(dir, ['dc1.example.test', address]);
  const home = join(dir, 'dc');
  const env = { ...process.env, TDB_NO_FSYNC: '1' };
  execFileSync(python, ['-c', provision, home, address, password], { stdio: 'pipe', env });
  if (contacts > 0) execFileSync(python, ['-c', populate, home, String(contacts)], { stdio: 'pipe', env });
  const options = {
    'server services': 'ldap',
    interfaces: `${address}/8`,
    'bind interfaces only': 'yes',
    'log file': join(dir, 'log'),
    'pid directory': dir,
    'ncalrpc dir': join(dir, 'ncalrpc'),
    'tls keyfile': tls.key,
    'tls certfile': tls.certificate,
    'tls cafile': tls.ca,
  };
  const start = () =>
    startProgram('samba', [
      ...['-i', '-M', 'single', '-s', join(home, 'etc/smb.conf')],
      ...Object.entries(options).map(([name, value]) => `--option=${name}=${value}`),
    ]);
  let program = start();
  const ca = readFileSync(tls.ca, 'utf8');
  const client = new Client({ url: `ldaps://${address}`, tlsOptions: { ca: [ca] }, timeout: 30_000 });
  const signIn = async () => {
    await listening(address, 636, program);
    await client.bind(administrator, password);
  };
  await signIn();
  return {
    address,
    ca,
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

function haveModule(): boolean {
  try {
    execFileSync(python, ['-c', 'import samba.provision'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
