import { encodeId, requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument, findGroup } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { JsonText } from '../http/json-text.decorator.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { presentGroup } from '../present.js';
import { conditionalPage, documentPage } from '../shared/document-page.js';
import { versionOfDocument } from '../shared/document-version.js';
import { groupPage } from '../shared/group-page.js';
import { historyPage } from '../shared/history-page.js';
import { identityDocument } from '../shared/identity-document.js';
import { TenantPositions } from '../shared/tenant-positions.service.js';

@Controller('v1/identities')
@Access('key')
export class IdentitiesController {
  constructor(
    private readonly database: Database,
    private readonly positions: TenantPositions,
  ) {}

  @Get()
  @JsonText()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.directoryQuery) query: requests.DirectoryQuery,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    return conditionalPage(this.database, this.positions, tenantId, 'identity', query, condition);
  }

  @Get(':id')
  @JsonText()
  async get(
    @CurrentTenant() tenantId: string,
    @PublicId('identity') id: string,
    @ZodQuery(requests.identityQuery) { at }: z.infer<typeof requests.identityQuery>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    const document = await identityDocument(this.database, tenantId, id, at);
    return unlessUnchanged(condition, versionOfDocument(document), document);
  }

  @Get(':id/history')
  history(
    @CurrentTenant() tenantId: string,
    @PublicId('identity') id: string,
    @ZodQuery(requests.historyQuery) query: z.infer<typeof requests.historyQuery>,
  ): Promise<object> {
    return historyPage(this.database, tenantId, id, query);
  }
}

@Controller('v1/users')
@Access('key')
export class UsersController {
  constructor(
    private readonly database: Database,
    private readonly positions: TenantPositions,
  ) {}

  @Get()
  @JsonText()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.directoryQuery) query: requests.DirectoryQuery,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    return conditionalPage(this.database, this.positions, tenantId, 'user', query, condition);
  }

  @Get(':id')
  @JsonText()
  async get(
    @CurrentTenant() tenantId: string,
    @PublicId('user') id: string,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    const document = orNotFound(await findDocument(this.database, tenantId, 'user', id));
    return unlessUnchanged(condition, versionOfDocument(document), document);
  }
}

@Controller('v1/groups')
@Access('key')
export class GroupsController {
  constructor(private readonly database: Database) {}

  @Get()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.groupQuery) query: z.infer<typeof requests.groupQuery>,
  ): Promise<object> {
    return groupPage(this.database, tenantId, query);
  }

  @Get(':id')
  async get(@CurrentTenant() tenantId: string, @PublicId('group') id: string): Promise<object> {
    return presentGroup(orNotFound(await findGroup(this.database, tenantId, id)));
  }

  @Get(':id/members')
  @JsonText()
  async members(
    @CurrentTenant() tenantId: string,
    @PublicId('group') id: string,
    @ZodQuery(requests.memberQuery) query: z.infer<typeof requests.memberQuery>,
  ): Promise<string> {
    orNotFound(await findGroup(this.database, tenantId, id));
    return documentPage(this.database, tenantId, 'user', { ...query, group: encodeId('group', id) });
  }
}

@Controller('v1/accounts')
@Access('key')
export class AccountsController {
  constructor(private readonly database: Database) {}

  @Get()
  @JsonText()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.accountQuery) query: z.infer<typeof requests.accountQuery>,
  ): Promise<string> {
    return documentPage(this.database, tenantId, 'account', query);
  }

  @Get(':id')
  @JsonText()
  async get(@CurrentTenant() tenantId: string, @PublicId('account') id: string): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'account', id));
  }
}

@Controller('v1/machine-identities')
@Access('key')
export class PublicMachinesController {
  constructor(private readonly database: Database) {}

  @Get()
  @JsonText()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.machineQuery) query: z.infer<typeof requests.machineQuery>,
  ): Promise<string> {
    return documentPage(this.database, tenantId, 'machine_identity', query);
  }

  @Get(':id')
  @JsonText()
  async get(@CurrentTenant() tenantId: string, @PublicId('machineIdentity') id: string): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'machine_identity', id));
  }
}
