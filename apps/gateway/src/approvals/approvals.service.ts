import {
  adminRoutes,
  type GuardedAction,
  includesRole,
  installationId,
  type RouteDefinition,
  type responses,
} from '@idsync/contracts';
import { asTenant, Database, type Transaction } from '@idsync/database';
import {
  type ApprovalRow,
  type AuditActor,
  decideApproval,
  findOperatorPolicy,
  findServiceToken,
  hasBasis,
  lockApproval,
  lockOperatorPolicy,
  markStale,
  requestApproval,
} from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import type { OperatorCaller } from '../access/caller.js';
import { currentOperator } from '../audit/request-context.js';
import { ApiError, badRequest, orNotFound } from '../http/api-error.js';
import { uuidOf } from '../http/ids.js';
import type { Progress } from '../http/may-take-longer.interceptor.js';
import { Operations, shownOperation } from '../operations/operations.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { GuardedActs, type Performed } from './guarded-acts.service.js';
import { type GuardedInputs, resourceOf } from './guarded-inputs.js';
import { type IssuedActor, isSecondPerson } from './is-second-person.js';
import { presentApproval } from './present-approval.js';

/** Bounds what an operator can leave for others to decide. */
const maxPending = 100;

class Stale extends Error {
  override readonly name = 'Stale';
}

/** Acts that wait for a second operator, where a tenant has four eyes. */
@Injectable()
export class Approvals {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly guarded: GuardedActs,
  ) {}

  async areNeeded(tenantId: string): Promise<boolean> {
    return (await this.tenants.run(tenantId, (tx) => findOperatorPolicy(tx))).four_eyes;
  }

  /** Requests approval of an act. Returns undefined if the tenant needs none, so that the caller performs the act. */
  async request<Action extends GuardedAction>(
    tenantId: string,
    action: Action,
    input: GuardedInputs[Action],
  ): Promise<responses.Approval | undefined> {
    const policy = await this.tenants.run(tenantId, (tx) => findOperatorPolicy(tx));
    if (!policy.four_eyes) return undefined;
    const requestedBy = currentOperator().actor;
    const resource = resourceOf(input) ?? null;
    const { reason } = input as { reason?: string };
    return this.tenants.act(tenantId, async (tx, describe) => {
      const basis = await this.guarded.acts[action].basis(tx, input);
      const wanted = { action, resource, input: { ...input }, basis, reason: reason ?? null, requestedBy };
      const row = await requestApproval(tx, { ...wanted, hours: policy.approval_hours }, maxPending);
      if (!row) throw new ApiError(429, `${maxPending} approvals are pending: decide about them first`, 60);
      const shown = presentApproval(row);
      const { approval_id, expires_at } = shown;
      describe({ before: basis, after: { approval_id, waits_for_approval_until: expires_at, request: input } });
      return shown;
    });
  }

  /** Performs an act; or requests approval, unless its input `isGuarded` not. */
  async perform<Action extends GuardedAction>(
    tenantId: string,
    action: Action,
    input: GuardedInputs[Action],
    { by, isGuarded = true }: { by?: string; isGuarded?: boolean } = {},
  ): Promise<Performed & { waiting?: responses.Approval }> {
    const waiting = isGuarded ? await this.request(tenantId, action, input) : undefined;
    if (waiting) return { waiting };
    const act = this.guarded.acts[action];
    return this.tenants[act.alsoWhileDeleting ? 'actIn' : 'act'](tenantId, async (tx, describe) => {
      if (act.before) describe({ before: await act.before(tx), after: input });
      const done = await act.perform(tx, input, by);
      const created = { ...shownOperation(done.operation), ...(done.job && { job_id: done.job.job_id }) };
      describe({ ...done.details, created });
      return done;
    });
  }

  /** Has the directory perform an act, which is an operation, and waits up to 10 s for its end; or requests approval. */
  async operate<Action extends GuardedAction>(
    tenantId: string,
    action: Action,
    input: GuardedInputs[Action],
  ): Promise<Progress<responses.Approval | responses.Operation>> {
    const { waiting, operation } = await this.perform(tenantId, action, input);
    if (waiting) return { finished: false, body: waiting };
    if (!operation) throw new Error(`${action} is not performed by an operation`);
    return this.operations.finish(tenantId, operation);
  }

  /** Performs an act that another operator requested. The approval and the act are one transaction. */
  async approve(tenantId: string, id: string, reason?: string): Promise<responses.Approval> {
    try {
      return await this.decide(tenantId, id, 'approved', reason, (tx, row) => this.performApproved(tx, row));
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      await this.database.transaction(tenantId, (tx) => markStale(tx, id));
      throw badRequest(`the approval is stale: ${error.message}`);
    }
  }

  /** Anyone whose role includes the act may reject it, also the requester. */
  reject(tenantId: string, id: string, reason?: string): Promise<responses.Approval> {
    return this.decide(tenantId, id, 'rejected', reason, () => Promise.resolve(undefined));
  }

  /** Performs an act. Returns the id of the operation that completes it, if there is one. */
  private async performApproved(tx: Transaction, row: ApprovalRow): Promise<string | undefined> {
    const { action, input } = row;
    const requester = await withIssuer(tx, row.requestedBy);
    const approver = await withIssuer(tx, currentOperator().actor);
    if (!isSecondPerson(requester, approver))
      throw new ApiError(403, `another operator than ${JSON.stringify(row.requestedBy.name)} must approve this`);
    // A revoked token must have no further effect, also by its requests that wait for others.
    if (requester.isRevoked) throw new Stale('the token of its requester has been revoked');
    const act = this.guarded.acts[action];
    const basis = await act.basis(tx, input as never).catch((error: unknown) => {
      throw error instanceof ApiError ? new Stale(error.message) : error;
    });
    if (!(await hasBasis(tx, row, basis))) throw new Stale('what it concerns has changed since the request');
    const by = `${requester.name}, approved by ${approver.name}`;
    return (await act.perform(tx, input as never, by)).operation?.id;
  }

  /** Decides about a pending approval. Repeating the decision changes nothing. */
  private decide(
    tenantId: string,
    id: string,
    status: 'approved' | 'rejected',
    reason: string | undefined,
    perform: (tx: Transaction, row: ApprovalRow) => Promise<string | undefined>,
  ): Promise<responses.Approval> {
    const caller = currentOperator();
    return this.tenants.act(tenantId, async (tx, describe) => {
      // Two approvals of the same settings would both compare with the state before the first one.
      await lockOperatorPolicy(tx);
      const row = orNotFound(await lockApproval(tx, id));
      requireRole(caller, row);
      const { resource, basis: before } = row;
      const { approval_id, action, request, requested_by } = presentApproval(row);
      const entry = { resource: resource ?? approval_id };
      if (row.status === status) {
        describe({ ...entry, after: { approval_id, repeated: true } });
        return presentApproval(row);
      }
      if (row.status !== 'pending') throw badRequest(`the approval is ${row.status}`);
      const operationId = (await perform(tx, row)) ?? null;
      const decision = { status, decidedBy: caller.actor, decisionReason: reason ?? null, operationId };
      await decideApproval(tx, id, decision);
      const shown = presentApproval(orNotFound(await lockApproval(tx, id)));
      const { operation_id } = shown;
      const made = operation_id && { operation_id };
      describe({ ...entry, before, after: { approval_id, status, action, requested_by, request, ...made } });
      return shown;
    });
  }
}

/** Adds who issued the token, and whether it was revoked. Tokens belong to the installation. */
async function withIssuer(tx: Transaction, actor: AuditActor): Promise<IssuedActor> {
  if (actor.kind !== 'service_token' || actor.id === undefined) return actor;
  const id = uuidOf('serviceToken', actor.id);
  const token = await asTenant(tx, installationId, (installation) => findServiceToken(installation, id));
  return token ? { ...actor, issuer: token.createdBy, isRevoked: token.revokedAt !== null } : actor;
}

function requireRole({ role, tenantIds }: OperatorCaller, { action }: ApprovalRow): void {
  const { role: needed } = adminRoutes[action];
  const { forAllTenants }: RouteDefinition = adminRoutes[action];
  if (!includesRole(role, needed)) throw new ApiError(403, `this needs the role ${needed}, the token has ${role}`);
  if (forAllTenants && tenantIds) throw new ApiError(403, 'this needs a token for all tenants');
}
