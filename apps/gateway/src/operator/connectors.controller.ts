import {
  type ConnectorBody,
  checkSourcePath,
  connectorBody,
  encodeId,
  requests,
  shownElsewhere,
} from '@idsync/contracts';
import { sqlState, type Transaction, uniqueViolation } from '@idsync/database';
import {
  type ConnectorRow,
  countLiveRecords,
  deleteConnector,
  deleteConnectorSecrets,
  findConnector,
  findDeletedConnector,
  hasRunningJob,
  insertConnector,
  listConnectors,
  listFailingRecords,
  lockConnector,
  queueRetirement,
  requestOperation,
  revokeKeysOfConnector,
  updateConnector,
} from '@idsync/database/gateway';
import { markPushedForDeletion } from '@idsync/database/scim';
import { checkSchedule } from '@idsync/runtime';
import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import type { z } from 'zod';
import { KeyRing } from '../access/key-ring.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { uuidOf } from '../http/ids.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { validate } from '../http/validate.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentConnector, presentFailingRecord } from '../present.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { readSecrets, writeSecrets } from './connector-secrets.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/connectors')
@OperatorAccess({ read: 'viewer', write: 'admin' })
export class ConnectorsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
    private readonly keyRing: KeyRing,
  ) {}

  @Post()
  async create(@TenantParam() tenantId: string, @ZodBody(connectorBody) body: ConnectorBody): Promise<object> {
    requireValid(body);
    const row = await rejectTakenName(body, () =>
      this.tenants.act(tenantId, async (tx, describe) => {
        const inserted = await insertConnector(tx, tenantId, body);
        const secrets = await writeSecrets(tx, tenantId, inserted.id, body, this.settings.encryptionKeys);
        const made = { ...inserted, secrets };
        describe({ resource: encodeId('connector', inserted.id), after: describeConnector(made) });
        return made;
      }),
    );
    return presentConnector(row);
  }

  @Get()
  async list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.pageQuery) page: z.infer<typeof requests.pageQuery>,
  ): Promise<object> {
    const { rows, total } = await this.tenants.run(tenantId, (tx) => listConnectors(tx, tenantId, page));
    return { data: rows.map(presentConnector), total, ...page };
  }

  @Get(':connectorId')
  async get(@TenantParam() tenantId: string, @PublicId('connector', 'connectorId') id: string): Promise<object> {
    return presentConnector(orNotFound(await this.tenants.run(tenantId, (tx) => findConnector(tx, tenantId, id))));
  }

  /** Replaces the given fields. The result must be a valid connector; `type` and `records` cannot change. */
  @Patch(':connectorId')
  async update(
    @TenantParam() tenantId: string,
    @PublicId('connector', 'connectorId') id: string,
    @Body() patch: unknown,
  ): Promise<object> {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
      throw badRequest('the body must be a JSON object');
    const row = await this.tenants.act(tenantId, async (tx, describe) => {
      const before = orNotFound(await lockConnector(tx, tenantId, id));
      const { type, name, priority, records, config, safeguard, schedule } = before;
      const given = 'secrets' in patch ? patch.secrets : {};
      const secrets = await this.secretsAfter(tx, tenantId, before, given);
      const whole = { type, name, priority, records, config, safeguard, schedule, ...patch, secrets };
      const body = validate(connectorBody, whole);
      requireValid(body);
      if (body.type !== type) throw badRequest(`type is ${type} and cannot be changed`);
      if (body.records !== records) throw badRequest(`records is ${records} and cannot be changed`);
      requireSecretsAgain(before, body, given);
      const row = await rejectTakenName(body, () => updateConnector(tx, tenantId, id, body));
      const names = await writeSecrets(tx, tenantId, id, body, this.settings.encryptionKeys);
      // Source precedence is applied when a document is written, so the directory must rewrite the documents.
      if (body.priority !== priority) await requestOperation(tx, tenantId, 'attributes.rank', {});
      const updated = { ...orNotFound(row), secrets: names };
      describe({
        before: describeConnector(before),
        after: { ...describeConnector(updated), set: Object.keys(patch) },
      });
      return updated;
    });
    return presentConnector(row);
  }

  @Get(':connectorId/errors')
  async errors(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.pageQuery) page: z.infer<typeof requests.pageQuery>,
    @PublicId('connector', 'connectorId') id: string,
  ): Promise<object> {
    const { rows, total } = await this.tenants.run(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, tenantId, id));
      return listFailingRecords(tx, tenantId, id, page);
    });
    return { data: rows.map(presentFailingRecord), total, ...page };
  }

  /** Counts what a deletion would leave behind. */
  @Get(':connectorId/deletion')
  async deletion(@TenantParam() tenantId: string, @PublicId('connector', 'connectorId') id: string): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, tenantId, id));
      return { connector_id: encodeId('connector', id), live_records: await countLiveRecords(tx, id) };
    });
  }

  /** Keeps its records unless the query says otherwise; what becomes of them is decided in the same transaction. */
  @Delete(':connectorId')
  @HttpCode(204)
  async delete(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.connectorDeletionQuery) { records, to }: z.infer<typeof requests.connectorDeletionQuery>,
    @PublicId('connector', 'connectorId') id: string,
  ): Promise<void> {
    const heir = to === undefined ? undefined : uuidOf('connector', to);
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = orNotFound(await findConnector(tx, tenantId, id));
      // Its records stay for a while, but its secrets are no longer needed.
      await deleteConnectorSecrets(tx, tenantId, id);
      await revokeKeysOfConnector(tx, tenantId, id);
      await markPushedForDeletion(tx, tenantId, id);
      orNotFound(await deleteConnector(tx, tenantId, id));
      if (records === 'retire') await queueRetirement(tx, tenantId, id);
      if (heir !== undefined) await this.handOver(tx, tenantId, id, heir);
      describe({ before: describeConnector(before), after: { records, ...(to !== undefined && { to }) } });
    });
    this.keyRing.clear();
  }

  /** Refuses what the directory would refuse only after the deletion. */
  private async handOver(tx: Transaction, tenantId: string, id: string, to: string): Promise<void> {
    const before = orNotFound(await findDeletedConnector(tx, tenantId, id));
    const after = orNotFound(await findConnector(tx, tenantId, to));
    if (after.records !== before.records) {
      throw badRequest(`to must be a connector of ${before.records} records, got one of ${after.records} records`);
    }
    if ((await hasRunningJob(tx, id)) || (await hasRunningJob(tx, to)) || after.quarantined) {
      throw badRequest('a sync job of one of the connectors has not ended: nothing was deleted');
    }
    await requestOperation(tx, tenantId, 'connector.hand_over', { from_id: id, to_id: to });
  }

  /** Merges secrets: omitted ones stay, null removes one. A value that is no object is returned for validation to reject. */
  private async secretsAfter(tx: Transaction, tenant: string, before: ConnectorRow, given: unknown): Promise<unknown> {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    const needsStored = before.secrets.some((name) => !(name in given));
    const stored = needsStored ? await readSecrets(tx, tenant, before.id, this.settings.encryptionKeys) : {};
    return Object.fromEntries(Object.entries({ ...stored, ...given }).filter(([, value]) => value !== null));
  }
}

/** Requires secrets again when their destination changes: changing an address must not disclose stored secrets. */
function requireSecretsAgain({ config }: ConnectorRow, body: ConnectorBody, given: unknown): void {
  const named = new Set(Object.keys(given ?? {}));
  const carried = Object.keys(body.secrets)
    .filter((name) => !named.has(name))
    .sort();
  const changed = carried.length > 0 ? shownElsewhere(body.type, config, body.config) : undefined;
  if (changed === undefined) return;
  throw badRequest(
    `config.${changed} determines where secrets are sent: set ${carried.map((name) => `secrets.${name}`).join(', ')} again, or to null`,
  );
}

/** The configuration by an operator; the names of its secrets are not secret. */
function describeConnector(row: ConnectorRow): object {
  const { type, name, priority, records, config, secrets, safeguard, schedule } = row;
  return { type, name, priority, records, config, protected_values: secrets, safeguard, ...(schedule && { schedule }) };
}

/** Checks what the schema of a connector cannot express. */
function requireValid({ config, schedule }: ConnectorBody): void {
  const problem = 'path' in config && config.path !== undefined ? checkSourcePath(config.path) : undefined;
  if (problem !== undefined) throw badRequest(`config.${problem}`);
  const impossible = schedule ? checkSchedule(schedule) : undefined;
  if (impossible !== undefined) throw badRequest(`schedule.${impossible}`);
}

async function rejectTakenName<Row extends ConnectorRow | undefined>(
  body: ConnectorBody,
  write: () => Promise<Row>,
): Promise<Row> {
  try {
    return await write();
  } catch (error) {
    if (sqlState(error) === uniqueViolation)
      throw badRequest(`name ${JSON.stringify(body.name)} is taken by another connector`);
    throw error;
  }
}
