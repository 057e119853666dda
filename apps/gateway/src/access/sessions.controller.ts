import { adminRoutes, installationId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { deleteSession, findListedSession, type ListedSessionRow, listSessions } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { currentOperator } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentListedSession } from './present-session.js';
import { Sessions } from './sessions.service.js';

/** Sessions of all operators, in browsers and of programs that signed in for a person. */
@Controller()
export class SessionsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly sessions: Sessions,
  ) {}

  @Handles(adminRoutes.listSessions)
  async list({ query: page }: Input<typeof adminRoutes.listSessions>) {
    const { idleSeconds, enabledKinds: kinds } = this.sessions;
    const { rows, total } = await this.database.readTransaction(installationId, (tx) =>
      listSessions(tx, page, { kinds, idleSeconds }),
    );
    return { data: rows.map((row) => this.present(row)), total, ...page };
  }

  /** Each request reads its session, so the end needs no message to other gateways. */
  @Handles(adminRoutes.endSession)
  async end({ sessionId: id }: Input<typeof adminRoutes.endSession>): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      describe({ before: this.present(orNotFound(await findListedSession(tx, id))) });
      await deleteSession(tx, id);
    });
  }

  private present(row: ListedSessionRow): responses.ListedSession {
    return presentListedSession(row, this.sessions.idleSeconds, currentOperator().session?.id);
  }
}
