import { checkSchedule, checkSourcePath } from '@idsync/connectors';
import { type ConnectorBody, connectorBody, requests } from '@idsync/contracts';
import {
  abandonPushed,
  type ConnectorRow,
  Database,
  deleteConnector,
  deleteConnectorSecrets,
  findConnector,
  findProbe,
  insertConnector,
  listConnectors,
  listFailingRecords,
  lockConnector,
  requestOperation,
  revokeKeysOfConnector,
  sqlState,
  type Transaction,
  uniqueViolation,
  updateConnector,
} from '@idsync/database';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { badRequest, notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { GatewaySettings } from '../gateway-settings.js';
import { KeyRing } from '../key-ring.js';
import { presentConnector, presentFailingRecord } from '../present.js';
import { validate } from '../validate.js';
import { presentProbe, probe } from './probe.js';
import { readSecrets, writeSecrets } from './seal-connector.js';
import { syncRecord } from './sync-record.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/connectors')
export class ConnectorsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(GatewaySettings) private readonly settings: GatewaySettings,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
  ) {}

  @Post()
  @HttpCode(201)
  async create(@Param('tenantId') tenantId: string, @Body() input: unknown): Promise<object> {
    const body = validConnector(input);
    const row = await named(body, () =>
      inTenant(this.database, tenantId, async (tx, tenant) => {
        const inserted = await insertConnector(tx, tenant, body);
        const secrets = await writeSecrets(tx, tenant, inserted.id, body, this.settings.encryptionKeys);
        return { ...inserted, secrets };
      }),
    );
    return presentConnector(row);
  }

  @Get()
  async list(@Param('tenantId') tenantId: string, @Query() query: unknown): Promise<object> {
    const page = validate(requests.pageQuery, query);
    const { rows, total } = await inTenant(this.database, tenantId, (tx, tenant) => listConnectors(tx, tenant, page));
    return { data: rows.map(presentConnector), total, ...page };
  }

  @Get(':connectorId')
  async get(@Param('tenantId') tenantId: string, @Param('connectorId') connectorId: string): Promise<object> {
    const id = uuidOf('connector', connectorId);
    const row = await inTenant(this.database, tenantId, (tx, tenant) => findConnector(tx, tenant, id));
    if (!row) throw notFound();
    return presentConnector(row);
  }

  /** What is given replaces what was; the whole must be a valid connector. Its type and what its records are is for ever. */
  @Patch(':connectorId')
  async update(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Body() patch: unknown,
  ): Promise<object> {
    const id = uuidOf('connector', connectorId);
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
      throw badRequest('the body must be a JSON object');
    const row = await inTenant(this.database, tenantId, async (tx, tenant) => {
      const before = await lockConnector(tx, tenant, id);
      if (!before) throw notFound();
      const { type, name, priority, records, config, safeguard, schedule } = before;
      const secrets = await this.secretsAfter(tx, tenant, before, 'secrets' in patch ? patch.secrets : {});
      const body = validConnector({ type, name, priority, records, config, safeguard, schedule, ...patch, secrets });
      if (body.type !== type) throw badRequest(`type is ${type} and cannot be changed`);
      if (body.records !== records) throw badRequest(`records is ${records} and cannot be changed`);
      const row = await named(body, () => updateConnector(tx, tenant, id, body));
      const names = await writeSecrets(tx, tenant, id, body, this.settings.encryptionKeys);
      // What wins is decided when a document is written, so the directory has to go through them.
      if (body.priority !== priority) await requestOperation(tx, tenant, 'attributes.rank', {});
      return row && { ...row, secrets: names };
    });
    if (!row) throw notFound();
    return presentConnector(row);
  }

  @Get(':connectorId/errors')
  async errors(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Query() query: unknown,
  ): Promise<object> {
    const id = uuidOf('connector', connectorId);
    const page = validate(requests.pageQuery, query);
    const { rows, total } = await inTenant(this.database, tenantId, async (tx, tenant) => {
      if (!(await findConnector(tx, tenant, id))) throw notFound();
      return listFailingRecords(tx, tenant, id, page);
    });
    return { data: rows.map(presentFailingRecord), total, ...page };
  }

  /** 200 with what came of it, or 202 if that takes longer. */
  @Post(':connectorId/test')
  async test(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return probe(this.database, reply, tenantId, connectorId, 'test');
  }

  @Post(':connectorId/discover')
  async discover(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return probe(this.database, reply, tenantId, connectorId, 'discover');
  }

  /** 200 with what came of it, or 202 if that takes longer. */
  @Post(':connectorId/records/:externalId/sync')
  async syncRecord(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Param('externalId') externalId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return syncRecord(this.database, reply, tenantId, connectorId, externalId);
  }

  @Get(':connectorId/probes/:probeId')
  async probe(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Param('probeId') probeId: string,
  ): Promise<object> {
    const [connector, id] = [uuidOf('connector', connectorId), uuidOf('probe', probeId)];
    const row = await inTenant(this.database, tenantId, (tx, tenant) => findProbe(tx, tenant, id));
    if (row?.connectorId !== connector) throw notFound();
    return presentProbe(row);
  }

  @Delete(':connectorId')
  @HttpCode(204)
  async delete(@Param('tenantId') tenantId: string, @Param('connectorId') connectorId: string): Promise<void> {
    const id = uuidOf('connector', connectorId);
    const found = await inTenant(this.database, tenantId, async (tx, tenant) => {
      // Records of it stay for a while; nobody needs its secrets any more.
      await deleteConnectorSecrets(tx, tenant, id);
      await revokeKeysOfConnector(tx, tenant, id);
      await abandonPushed(tx, tenant, id);
      return deleteConnector(tx, tenant, id);
    });
    if (!found) throw notFound();
    this.keyRing.forget();
  }

  /** What is not named stays, and null takes one away; what is no object is left to be refused. */
  private async secretsAfter(tx: Transaction, tenant: string, before: ConnectorRow, given: unknown): Promise<unknown> {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    const stay = before.secrets.some((name) => !(name in given));
    const kept = stay ? await readSecrets(tx, tenant, before.id, this.settings.encryptionKeys) : {};
    return Object.fromEntries(Object.entries({ ...kept, ...given }).filter(([, value]) => value !== null));
  }
}

function validConnector(input: unknown): ConnectorBody {
  const body = validate(connectorBody, input);
  const problem =
    'path' in body.config && body.config.path !== undefined ? checkSourcePath(body.config.path) : undefined;
  if (problem !== undefined) throw badRequest(`config.${problem}`);
  const impossible = body.schedule ? checkSchedule(body.schedule) : undefined;
  if (impossible !== undefined) throw badRequest(`schedule.${impossible}`);
  return body;
}

async function named<Row extends ConnectorRow | undefined>(
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
