import type { QuotaName, responses } from '@idsync/contracts';

import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import type { Session } from '../session.js';

const setHelp = `
Other limits stay as they are; "unlimited" removes one. Only operators of all tenants may change them.

Example:
  $ idsync tenants quotas set --people 10000 --requests-per-minute 5000
  $ idsync tenants quotas set --webhooks unlimited`;

const names = Object.keys({
  people: true,
  connectors: true,
  webhooks: true,
  requests_per_minute: true,
} satisfies Record<QuotaName, true>) as QuotaName[];

/** Adds `tenants quotas`. */
export function addQuotaCommands(tenants: CliCommand): void {
  const quotas = tenants.add('quotas', 'see and change the limits of a tenant');

  quotas.add('show', 'show the limits of the tenant, and how much of them is used', '').does(async (session) => {
    print(session, await session.client.call('GET /quotas', {}));
  });

  quotas
    .add('set', 'change limits of the tenant')
    .option('--people <count>', 'users that are not deleted')
    .option('--connectors <count>', 'connectors')
    .option('--webhooks <count>', 'webhooks')
    .option('--requests-per-minute <count>', 'requests of all keys of the tenant, at each gateway')
    .addHelpText('after', setHelp)
    .does(async (session, options: Record<string, string | undefined>) => {
      const before = await session.client.call('GET /quotas', {});
      const limits = names.flatMap((name) => {
        const limit = limitOf(name, options[camelCase(name)], before[name].limit);
        return limit === undefined ? [] : [[name, limit] as const];
      });
      print(session, await session.client.call('PUT /quotas', {}, Object.fromEntries(limits)));
    });
}

function limitOf(name: QuotaName, given: string | undefined, before: number | undefined): number | undefined {
  if (given === undefined) return before;
  if (given === 'unlimited') return undefined;
  if (!/^\d+$/.test(given))
    throw new UsageError(`--${name.replaceAll('_', '-')} must be a whole number or "unlimited", got "${given}"`);
  return Number(given);
}

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function print(session: Session, usage: responses.QuotaUsage): void {
  if (session.format === 'json') {
    session.printOne(usage);
    return;
  }
  const data = names.map((quota) => ({ quota, ...usage[quota] }));
  session.printItems({ data }, ['quota', ['limit', ({ limit }) => limit ?? 'unlimited'], 'used']);
}
