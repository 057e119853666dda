import { encodeId, type RankedUser, type responses } from '@idsync/contracts';
import type { ExplainedIdentity, ExplainedRecord } from '@idsync/database/gateway';

export type Field = responses.Explanation['fields'][number];
type Candidate = Field['winner'];

/** The sources of an identity, with their precedence for each field. */
export class Sources {
  private readonly own: ReadonlyMap<string, number>;

  constructor(private readonly found: Pick<ExplainedIdentity, 'connectors' | 'priorities'>) {
    this.own = new Map(
      found.priorities.map(({ field, connectorId, priority }) => [`${field} ${connectorId}`, priority]),
    );
  }

  /** Returns the priority for a field: the one set for it, then the one set for all fields, then the connector's. */
  rankOf(connectorId: string, field: string): number {
    const { own, found } = this;
    const connector = found.connectors.get(encodeId('connector', connectorId));
    return own.get(`${field} ${connectorId}`) ?? own.get(`* ${connectorId}`) ?? connector?.priority ?? 0;
  }

  /** Returns what decides between users of a person. */
  ranked(record: ExplainedRecord): RankedUser & { record: ExplainedRecord } {
    const { connectorId, status } = record;
    const { employments: isEmployment = false } = this.found.connectors.get(encodeId('connector', connectorId)) ?? {};
    return { record, status, statusRank: this.rankOf(connectorId, 'status'), isEmployment };
  }

  /** Returns the name of a connector, and when it was deleted. */
  shown(publicId: string): Pick<Candidate, 'connector' | 'connector_deleted_at'> {
    const { name, deletedAt } = this.found.connectors.get(publicId) ?? {};
    return { connector: name, connector_deleted_at: deletedAt?.toISOString() };
  }

  candidate({ connectorId, updatedAt }: ExplainedRecord, field: string, value: string): Candidate {
    const publicId = encodeId('connector', connectorId);
    return {
      value,
      connector_id: publicId,
      ...this.shown(publicId),
      priority: this.rankOf(connectorId, field),
      updated_at: updatedAt.toISOString(),
    };
  }
}
