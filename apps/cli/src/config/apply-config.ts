import type { IdsyncClient } from '@idsync/client';
import type { Input, OneTenant } from '@idsync/client/operator';
import { CliError, UsageError, WaitsForDecision } from '../cli-error.js';
import { requireNotHeld } from '../operation-outcome.js';
import type { Session } from '../session.js';
import type { LoadedConfig } from './load-config.js';
import type { Step } from './plan-config.js';
import { type ConnectorConfig, connectorLists, type TenantConfig } from './read-config.js';

/** Fields that other fields must not accompany in a request if the tenant has four eyes. */
const guardedFields = ['safeguard', 'priority'];

/** Performs the steps of a plan in their order. */
export class ConfigApplier {
  private readonly ids: Map<string, string>;
  private clientOfTenant: Promise<IdsyncClient> | undefined;

  constructor(
    private readonly session: Session,
    private readonly wanted: TenantConfig,
    private readonly loaded: LoadedConfig,
  ) {
    this.ids = new Map(loaded.connectorIds);
  }

  /** Throws before the first change if a variable of a secret is not set, or a webhook has no key. */
  check(steps: readonly Step[]): void {
    for (const step of steps) if (step.kind === 'connector') this.secretsOf(step);
    const webhooks = steps.filter(({ kind, change }) => kind === 'webhook' && change !== 'unchanged');
    if (webhooks.length > 0 && this.session.settings.apiKey === undefined)
      throw new UsageError('changes of webhooks need an API key with webhooks:write: set IDSYNC_API_KEY');
    for (const { name = '', change } of webhooks) {
      if (change !== 'create' && (this.loaded.webhookIds.get(name) ?? []).length > 1)
        throw new UsageError(`several webhooks have the URL ${name}: delete all but one`);
    }
  }

  /** `waits`: the change waits for the decision of an operator. */
  async apply(step: Step): Promise<{ waits: boolean; note?: string | undefined }> {
    try {
      if (step.kind === 'webhook') return { waits: false, note: await this.webhook(step) };
      if (step.kind === 'connector') await this.connector(step);
      else await requireNotHeld(this.session, await this.send(step.kind));
      return { waits: false };
    } catch (error) {
      if (error instanceof WaitsForDecision) return { waits: true, note: error.message };
      const about = [step.kind, step.name].filter(Boolean).join(' ');
      throw error instanceof CliError ? new CliError(`${about}: ${error.message}`) : error;
    }
  }

  private async connector(step: Step): Promise<void> {
    const { client } = this.session;
    const { name = '', change, fields } = step;
    if (change === 'create') {
      const { secrets: _, ...body } = this.wantedConnector(name);
      const whole = { ...body, secrets: this.secretsOf(step) } as Input<OneTenant, 'POST /connectors'>;
      const created = await client.call('POST /connectors', {}, whole);
      this.ids.set(name, created.id);
      return;
    }
    const id = this.idOf(name);
    if (change === 'delete') {
      await client.call('DELETE /connectors/{connectorId}', id);
      return;
    }
    const wanted = this.wantedConnector(name) as unknown as Record<string, unknown>;
    const changed = fields.filter((field) => !field.startsWith('secrets.'));
    const patch = Object.fromEntries(changed.map((field) => [field, wanted[field]]));
    const secrets = this.secretsOf(step);
    const guarded = pickFields(patch, (field) => guardedFields.includes(field));
    const rest = {
      ...pickFields(patch, (field) => !guardedFields.includes(field)),
      ...(Object.keys(secrets).length > 0 && { secrets }),
    };
    for (const part of [rest, guarded]) {
      if (Object.keys(part).length === 0) continue;
      await requireNotHeld(this.session, await client.call('PATCH /connectors/{connectorId}', id, part));
    }
  }

  private send(kind: Step['kind']): Promise<unknown> {
    const { client } = this.session;
    const { settings = {}, attribute_priorities = [], matching_rules } = this.wanted;
    if (kind === 'matching_rules') return client.call('PUT /matching-rules', {}, matching_rules);
    if (kind === 'attribute_priorities')
      return client.call('PUT /attribute-priorities', {}, { priorities: this.withIds(attribute_priorities) });
    const lists = connectorLists.flatMap((name) => {
      const { [name]: list } = settings;
      return list ? [[name, this.withIds<{ connector: string }>(list)]] : [];
    });
    return client.call('PATCH /settings', {}, { ...settings, ...Object.fromEntries(lists) });
  }

  private async webhook({ name = '', change, fields }: Step): Promise<string | undefined> {
    this.clientOfTenant ??= this.session.tenantClient();
    const client = await this.clientOfTenant;
    const wanted = this.wanted.webhooks?.find(({ callback_url }) => callback_url === name);
    const [id = ''] = this.loaded.webhookIds.get(name) ?? [];
    if (change === 'delete') {
      await client.webhooks.delete(id);
      return undefined;
    }
    if (!wanted) return undefined;
    const { active, ...body } = wanted;
    if (change === 'update') {
      await client.webhooks.update(
        id,
        pickFields({ ...wanted }, (field) => fields.includes(field)),
      );
      return undefined;
    }
    const { filter, ...rest } = body;
    const created = await client.webhooks.create({ ...rest, ...(filter && { filter }) });
    if (active === false) await client.webhooks.update(created.id, { active: false });
    // The secret of the response is not printed: the output of this command is often stored.
    return `get the signing secret of ${created.id} with "idsync webhooks rotate-secret ${created.id}"`;
  }

  /** Values of the secrets that the step sets. */
  private secretsOf({ name = '', fields, change }: Step): Record<string, string> {
    if (change === 'delete') return {};
    const { secrets = {} } = this.wantedConnector(name);
    // A changed address requires all secrets again, so they are sent if they are known.
    const isAddressChanged = fields.includes('config');
    return Object.fromEntries(
      Object.entries(secrets).flatMap(([secret, value]) => {
        const isPlanned = fields.includes(`secrets.${secret}`);
        const variable = /^\$\{env:(\w+)\}$/.exec(value)?.[1];
        if (variable === undefined || !(isPlanned || isAddressChanged)) return [];
        const given = (this.session.io.env ?? process.env)[variable];
        if (given !== undefined && given !== '') return [[secret, given]];
        if (!isPlanned) return [];
        throw new UsageError(`connector "${name}" needs its secret ${secret}: set the variable ${variable}`);
      }),
    );
  }

  private wantedConnector(name: string): ConnectorConfig {
    const found = this.wanted.connectors?.find((each) => each.name === name);
    if (!found) throw new UsageError(`no connector "${name}" in the file`);
    return found;
  }

  private withIds<Item extends { connector: string }>(list: readonly Item[]) {
    return list.map(({ connector, ...rest }) => ({ ...rest, connector_id: this.idOf(connector) }));
  }

  private idOf(name: string): string {
    const id = this.ids.get(name);
    if (id === undefined) throw new UsageError(`there is no connector "${name}"`);
    return id;
  }
}

function pickFields(value: Record<string, unknown>, wanted: (field: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([field]) => wanted(field)));
}
