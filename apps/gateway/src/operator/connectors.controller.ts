import { checkSourcePath } from '@idsync/connectors';
import { type ConnectorBody, connectorBody, requests } from '@idsync/contracts';
import {
  type ConnectorRow,
  Database,
  deleteConnector,
  findConnector,
  insertConnector,
  listConnectors,
  lockConnector,
  requestOperation,
  sqlState,
  uniqueViolation,
  updateConnector,
} from '@idsync/database';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { badRequest, notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { presentConnector } from '../present.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/connectors')
export class ConnectorsController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Post()
  @HttpCode(201)
  async create(@Param('tenantId') tenantId: string, @Body() input: unknown): Promise<object> {
    const body = validConnector(input);
    const row = await named(body, () =>
      inTenant(this.database, tenantId, (tx, tenant) => insertConnector(tx, tenant, body)),
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
      const { type, name, priority, records, config, safeguard } = before;
      const body = validConnector({ type, name, priority, records, config, safeguard, ...patch });
      if (body.type !== type) throw badRequest(`type is ${type} and cannot be changed`);
      if (body.records !== records) throw badRequest(`records is ${records} and cannot be changed`);
      const row = await named(body, () => updateConnector(tx, tenant, id, body));
      // What wins is decided when a document is written, so the directory has to go through them.
      if (body.priority !== priority) await requestOperation(tx, tenant, 'attributes.rank', {});
      return row;
    });
    if (!row) throw notFound();
    return presentConnector(row);
  }

  @Delete(':connectorId')
  @HttpCode(204)
  async delete(@Param('tenantId') tenantId: string, @Param('connectorId') connectorId: string): Promise<void> {
    const id = uuidOf('connector', connectorId);
    const found = await inTenant(this.database, tenantId, (tx, tenant) => deleteConnector(tx, tenant, id));
    if (!found) throw notFound();
  }
}

function validConnector(input: unknown): ConnectorBody {
  const body = validate(connectorBody, input);
  const problem = checkSourcePath(body.config.path);
  if (problem !== undefined) throw badRequest(`config.${problem}`);
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
