import { adminRoutes, installationId, queues, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { canRequeue, findDeadLetter, listDeadLetters, removeDeadLetter, sendAgain } from '@idsync/database/bus';
import { Controller } from '@nestjs/common';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { deadLetterNumber, presentDeadLetter, presentDeadLetterDetails } from './present-dead-letter.js';

/** Messages that failed as often as their queue allows. */
@Controller()
export class DeadLettersController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Handles(adminRoutes.listSystemDeadLetters)
  async list({ query: { queue, limit, cursor } }: Input<typeof adminRoutes.listSystemDeadLetters>) {
    const before = cursor === undefined ? undefined : readSequence(cursor);
    const names = queue === undefined ? Object.keys(queues) : [queue];
    const rows = await this.database.withoutTenant((tx) => listDeadLetters(tx, { names, before, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentDeadLetter), limit, ...(last && { next_cursor: writeSequence(last.id) }) };
  }

  @Handles(adminRoutes.getSystemDeadLetter)
  async get({ deadLetterId: id }: Input<typeof adminRoutes.getSystemDeadLetter>): Promise<responses.DeadLetterDetails> {
    const row = await this.database.withoutTenant((tx) => findDeadLetter(tx, deadLetterNumber(id)));
    return presentDeadLetterDetails(orNotFound(row));
  }

  /** Moves the message to the outbox. A concurrent request finds it gone, so that it is sent once. */
  @Handles(adminRoutes.requeueSystemDeadLetter)
  async requeue({ deadLetterId: id }: Input<typeof adminRoutes.requeueSystemDeadLetter>): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      const row = orNotFound(await removeDeadLetter(tx, deadLetterNumber(id)));
      if (!canRequeue(row.type)) throw badRequest(`no queue receives messages of the type ${row.type}`);
      await sendAgain(tx, row);
      describe({ before: presentDeadLetter(row) });
    });
  }

  /** The reason is in the audit entry. */
  @Handles(adminRoutes.discardSystemDeadLetter)
  async discard({ deadLetterId: id }: Input<typeof adminRoutes.discardSystemDeadLetter>): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      describe({ before: presentDeadLetter(orNotFound(await removeDeadLetter(tx, deadLetterNumber(id)))) });
    });
  }
}
