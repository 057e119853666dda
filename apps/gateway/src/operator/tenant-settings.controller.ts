import {
  type AttributePriorities,
  attributePriorities,
  defaultMatchingRules,
  type LifecyclePolicy,
  lifecyclePolicy,
  type MatchingRules,
  matchingRules,
  type OperatorPolicy,
  operatorPolicy,
  type TenantSettings,
  type TenantSettingsPatch,
  tenantSettingsPatch,
} from '@idsync/contracts';
import { findOperatorPolicy, saveOperatorPolicy } from '@idsync/database/gateway';
import { findAttributePriorities, findLifecyclePolicy, findMatchingRules } from '@idsync/database/settings';
import { Controller, Get, Patch, Post, Put } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { changeSettings, findSettings, isGuarded } from './change-settings.js';
import { Operations, shownOperation } from './operations.service.js';
import {
  connectorsOf,
  presentLifecyclePolicy,
  presentPriorities,
  requireConnectors,
  storedLifecyclePolicy,
  storedPriorities,
} from './rule-inputs.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** All settings as one resource, over the stores that have routes of their parts. */
@Controller('admin/v1/tenants/:tenantId/settings')
@OperatorAccess()
export class TenantSettingsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  get(@TenantParam() tenantId: string): Promise<TenantSettings> {
    return this.tenants.run(tenantId, (tx) => findSettings(tx, tenantId));
  }

  @Patch()
  @MayTakeLonger()
  async update(
    @TenantParam() tenantId: string,
    @ZodBody(tenantSettingsPatch) patch: TenantSettingsPatch,
  ): Promise<Progress> {
    const current = await this.get(tenantId);
    const waiting = isGuarded(current, patch)
      ? await this.approvals.request(tenantId, 'updateSettings', patch)
      : undefined;
    if (waiting) return { finished: false, body: waiting };
    const { after, requested } = await this.tenants.act(tenantId, async (tx, describe) => {
      const before = await findSettings(tx, tenantId);
      const requested = await changeSettings(tx, tenantId, patch);
      const operation = shownOperation(requested);
      describe({ before, after: { ...patch, ...operation } });
      return { requested, after: { ...before, ...patch, ...operation } };
    });
    const ended = requested && (await this.operations.wait(tenantId, requested));
    return { finished: !ended || ended.status === 'done', body: after };
  }
}

@Controller('admin/v1/tenants/:tenantId/attribute-priorities')
@OperatorAccess()
export class AttributePrioritiesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<AttributePriorities> {
    return presentPriorities(await this.tenants.run(tenantId, (tx) => findAttributePriorities(tx, tenantId)));
  }

  @Put()
  @MayTakeLonger()
  async replace(
    @TenantParam() tenantId: string,
    @ZodBody(attributePriorities) body: AttributePriorities,
  ): Promise<Progress> {
    const priorities = storedPriorities(body);
    const connectors = priorities.map(({ connector_id }) => connector_id);
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, tenantId, connectors));
    const waiting = await this.approvals.request(tenantId, 'replaceAttributePriorities', body);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'attributes.rank', { priorities }, async (tx) => ({
      before: presentPriorities(await findAttributePriorities(tx, tenantId)),
      after: body,
    }));
  }
}

@Controller('admin/v1/tenants/:tenantId/lifecycle-policy')
@OperatorAccess()
export class LifecyclePolicyController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<LifecyclePolicy> {
    return presentLifecyclePolicy(await this.tenants.run(tenantId, (tx) => findLifecyclePolicy(tx, tenantId)));
  }

  @Put()
  @MayTakeLonger()
  async replace(@TenantParam() tenantId: string, @ZodBody(lifecyclePolicy) body: LifecyclePolicy): Promise<Progress> {
    const policy = storedLifecyclePolicy(body);
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, tenantId, connectorsOf(policy)));
    const waiting = await this.approvals.request(tenantId, 'replaceLifecyclePolicy', body);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'lifecycle.change', { policy }, async (tx) => ({
      before: presentLifecyclePolicy(await findLifecyclePolicy(tx, tenantId)),
      after: body,
    }));
  }
}

@Controller('admin/v1/tenants/:tenantId/matching-rules')
@OperatorAccess()
export class MatchingRulesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<MatchingRules> {
    const own = await this.tenants.run(tenantId, (tx) => findMatchingRules(tx, tenantId));
    return own ?? defaultMatchingRules;
  }

  @Put()
  @MayTakeLonger()
  async change(@TenantParam() tenantId: string, @ZodBody(matchingRules) rules: MatchingRules): Promise<Progress> {
    const waiting = await this.approvals.request(tenantId, 'replaceMatchingRules', rules);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'rules.change', { rules, preview: false }, async (tx) => ({
      before: (await findMatchingRules(tx, tenantId)) ?? defaultMatchingRules,
      after: rules,
    }));
  }

  @Post('preview')
  @MayTakeLonger()
  preview(@TenantParam() tenantId: string, @ZodBody(matchingRules) rules: MatchingRules): Promise<Progress> {
    return this.operations.request(tenantId, 'rules.change', { rules, preview: true });
  }
}

@Controller('admin/v1/tenants/:tenantId/operator-policy')
@OperatorAccess()
export class OperatorPolicyController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  get(@TenantParam() tenantId: string): Promise<OperatorPolicy> {
    return this.tenants.run(tenantId, (tx) => findOperatorPolicy(tx, tenantId));
  }

  @Put()
  @MayTakeLonger()
  async replace(@TenantParam() tenantId: string, @ZodBody(operatorPolicy) policy: OperatorPolicy): Promise<Progress> {
    const waiting = await this.approvals.request(tenantId, 'replaceOperatorPolicy', policy);
    if (waiting) return { finished: false, body: waiting };
    const saved = await this.tenants.act(tenantId, async (tx, describe) => {
      describe({ before: await findOperatorPolicy(tx, tenantId), after: policy });
      await saveOperatorPolicy(tx, tenantId, policy);
      return policy;
    });
    return { finished: true, body: saved };
  }
}
