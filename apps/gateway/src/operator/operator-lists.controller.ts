import { decodeId, requests, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findNames, type SearchedResource } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { JsonText } from '../http/json-text.decorator.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { documentPage } from '../shared/document-page.js';
import { groupPage } from '../shared/group-page.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** The lists of the public API for operators, who have no API key of the tenant. */
@Controller('admin/v1/tenants/:tenantId')
@OperatorAccess()
export class OperatorListsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Get('identities')
  @ReadsPeople(true)
  @JsonText()
  identities(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.directoryQuery) query: requests.DirectoryQuery,
  ): Promise<string> {
    return this.page(tenantId, 'identity', query);
  }

  @Get('users')
  @ReadsPeople(true)
  @JsonText()
  users(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.directoryQuery) query: requests.DirectoryQuery,
  ): Promise<string> {
    return this.page(tenantId, 'user', query);
  }

  @Get('groups')
  async groups(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.groupQuery) query: z.infer<typeof requests.groupQuery>,
  ): Promise<object> {
    await this.tenants.run(tenantId, async () => undefined);
    return groupPage(this.database, tenantId, query);
  }

  @Get('accounts')
  @ReadsPeople(true)
  @JsonText()
  accounts(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.accountQuery) query: z.infer<typeof requests.accountQuery>,
  ): Promise<string> {
    return this.page(tenantId, 'account', query);
  }

  @Get('machine-identities')
  @ReadsPeople(true)
  async machines(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.machineQuery) query: z.infer<typeof requests.machineQuery>,
  ): Promise<responses.OperatorMachineIdentityPage> {
    const text = await this.page(tenantId, 'machine_identity', query);
    const page = JSON.parse(text) as responses.OperatorMachineIdentityPage;
    const ownerOf = ({ owned_by = '' }: (typeof page.data)[number]) => decodeId('identity', owned_by);
    const identityIds = page.data.flatMap((machine) => ownerOf(machine) ?? []);
    const { identities } = await this.tenants.run(tenantId, (tx) =>
      findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] }),
    );
    const data = page.data.map((machine) => ({ ...machine, owner_name: identities.get(ownerOf(machine) ?? '') }));
    return { ...page, data };
  }

  private async page(tenantId: string, resource: SearchedResource, query: requests.ListQuery): Promise<string> {
    await this.tenants.run(tenantId, async () => undefined);
    return documentPage(this.database, tenantId, resource, query);
  }
}
