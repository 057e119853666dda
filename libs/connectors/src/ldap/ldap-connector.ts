import { X509Certificate } from 'node:crypto';
import { type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { foundIn } from '../find-by-full-read.js';
import { describeSource, discoverFields } from './describe-source.js';
import { type DirectoryServer, describeServer } from './directory-server.js';
import type { LdapSession } from './ldap-session.js';
import { type LdapSettings, openSession } from './ldap-session.js';
import { parseFilter } from './parse-filter.js';
import { listingOf, Reading } from './reading.js';

/** Creates a connector for an LDAP directory or Active Directory. */
export function ldapConnector(settings: LdapSettings): Connector {
  const { config, bindPassword } = settings;
  if ((config.bind_dn === undefined) !== (bindPassword === undefined)) {
    throw new SourceError('bind_dn and the secret bind_password must be given together', 'misconfigured');
  }
  // Validated before the first read, because TLS ignores an invalid certificate.
  if (config.ca !== undefined) requireCertificate(config.ca);
  if (config.filter !== undefined) parseFilter(config.filter);
  if (config.groups.filter !== undefined) parseFilter(config.groups.filter, 'groups.filter');
  return {
    reportsChanges: true,
    reportsDeletions: config.deleted_objects,
    read: (options) => readDirectory(settings, options),
    async readOne(externalId, signal) {
      const found = await withSession(settings, signal, (session, server) =>
        new Reading(settings, { pageSize: 1, signal }, session, server).one(externalId),
      );
      if (found !== 'absent' || config.external_id === undefined) return found;
      // The directory may not find an id by its normal form.
      for await (const page of readDirectory(settings, { pageSize: 1_000, signal })) {
        const other = foundIn(page, externalId);
        if (other !== 'absent') return other;
      }
      return 'absent';
    },
    describe: (signal) => withSession(settings, signal, (session, server) => describeSource(session, settings, server)),
    discover: (signal) =>
      withSession(settings, signal, async (session, server) =>
        discoverFields(session, listingOf(settings, server), server),
      ),
  };
}

async function* readDirectory(settings: LdapSettings, options: ReadOptions): AsyncGenerator<Page> {
  const session = await openSession(settings, options.signal);
  try {
    yield* new Reading(settings, options, session, await describeServer(session)).pages();
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  } finally {
    session.close();
  }
}

function requireCertificate(pem: string): void {
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new SourceError('ca is not a valid certificate in PEM format', { code: 'misconfigured', cause });
  }
}

async function withSession<T>(
  settings: LdapSettings,
  signal: AbortSignal,
  work: (session: LdapSession, server: DirectoryServer) => Promise<T>,
): Promise<T> {
  const session = await openSession(settings, signal);
  try {
    return await work(session, await describeServer(session));
  } finally {
    session.close();
  }
}
