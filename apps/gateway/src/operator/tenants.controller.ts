import { requests } from '@idsync/contracts';
import { createTenant, Database, findTenant, listTenants, type Transaction } from '@idsync/database';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { presentTenant } from '../present.js';
import { validate } from '../validate.js';

@Controller('admin/v1/tenants')
export class TenantsController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Post()
  @HttpCode(201)
  async create(@Body() body: unknown): Promise<object> {
    const { name } = validate(requests.tenantBody, body);
    return presentTenant(await this.database.transaction(undefined, (tx) => createTenant(tx, name)));
  }

  @Get()
  async list(@Query() query: unknown): Promise<object> {
    const page = validate(requests.pageQuery, query);
    const { rows, total } = await this.database.transaction(undefined, (tx) => listTenants(tx, page));
    return { data: rows.map(presentTenant), total, ...page };
  }

  @Get(':tenantId')
  async get(@Param('tenantId') tenantId: string): Promise<object> {
    const tenant = await this.database.transaction(undefined, (tx) => findTenant(tx, uuidOf('tenant', tenantId)));
    if (!tenant) throw notFound();
    return presentTenant(tenant);
  }
}

/** Runs `work` as one tenant. Throws a 404 if there is no such tenant. */
export async function inTenant<T>(
  database: Database,
  tenantId: string,
  work: (tx: Transaction, tenant: string) => Promise<T>,
): Promise<T> {
  const tenant = uuidOf('tenant', tenantId);
  return database.transaction(tenant, async (tx) => {
    if (!(await findTenant(tx, tenant))) throw notFound();
    return work(tx, tenant);
  });
}
