import { newUuid, requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { createTenant, findTenant, listTenants } from '@idsync/database/gateway';
import { Controller, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentTenant } from '../present.js';

@Controller('admin/v1/tenants')
@Access('operator')
export class TenantsController {
  constructor(private readonly database: Database) {}

  @Post()
  async create(@ZodBody(requests.tenantBody) { name }: z.infer<typeof requests.tenantBody>): Promise<object> {
    const id = newUuid();
    return presentTenant(await this.database.transaction(id, (tx) => createTenant(tx, id, name)));
  }

  @Get()
  async list(@ZodQuery(requests.pageQuery) page: z.infer<typeof requests.pageQuery>): Promise<object> {
    const { rows, total } = await this.database.acrossTenants((tx) => listTenants(tx, page));
    return { data: rows.map(presentTenant), total, ...page };
  }

  @Get(':tenantId')
  async get(@TenantParam() tenantId: string): Promise<object> {
    return presentTenant(orNotFound(await this.database.transaction(tenantId, (tx) => findTenant(tx, tenantId))));
  }
}
