import { installationId, queues, requests, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { canRequeue, findDeadLetter, listDeadLetters, removeDeadLetter, sendAgain } from '@idsync/database/bus';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { TenantTransactions } from '../operator/tenant-transactions.service.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { deadLetterNumber } from './dead-letter-id.js';
import { presentDeadLetter, presentDeadLetterDetails } from './present-dead-letter.js';

type Query = z.infer<typeof requests.deadLetterQuery>;

/** Messages that failed as often as their queue allows. */
@Controller('admin/v1/system/dead-letters')
@OperatorAccess()
export class DeadLettersController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Get()
  async list(@ZodQuery(requests.deadLetterQuery) { queue, limit, cursor }: Query): Promise<object> {
    const before = cursor === undefined ? undefined : readSequence(cursor);
    const names = queue === undefined ? Object.keys(queues) : [queue];
    const rows = await this.database.withoutTenant((tx) => listDeadLetters(tx, { names, before, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentDeadLetter), limit, ...(last && { next_cursor: writeSequence(last.id) }) };
  }

  @Get(':deadLetterId')
  async get(@PublicId('deadLetter', 'deadLetterId') id: string): Promise<responses.DeadLetterDetails> {
    const row = await this.database.withoutTenant((tx) => findDeadLetter(tx, deadLetterNumber(id)));
    return presentDeadLetterDetails(orNotFound(row));
  }

  /** Moves the message to the outbox. A concurrent request finds it gone, so that it is sent once. */
  @Post(':deadLetterId/requeue')
  @HttpCode(204)
  async requeue(@PublicId('deadLetter', 'deadLetterId') id: string): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      const row = orNotFound(await removeDeadLetter(tx, deadLetterNumber(id)));
      if (!canRequeue(row.type)) throw badRequest(`no queue receives messages of the type ${row.type}`);
      await sendAgain(tx, row);
      describe({ before: presentDeadLetter(row) });
    });
  }

  /** The reason is in the audit entry. */
  @Post(':deadLetterId/discard')
  @HttpCode(204)
  async discard(
    @PublicId('deadLetter', 'deadLetterId') id: string,
    @ZodBody(requests.discardBody) _body: z.infer<typeof requests.discardBody>,
  ): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      describe({ before: presentDeadLetter(orNotFound(await removeDeadLetter(tx, deadLetterNumber(id)))) });
    });
  }
}
