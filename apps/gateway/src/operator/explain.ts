import type { responses } from '@idsync/contracts';
import type { ExplainedIdentity } from '@idsync/database/gateway';
import { explainFields } from './explain-fields.js';
import { explainLink } from './explain-link.js';
import { explainLists } from './explain-lists.js';
import { explainStatus } from './explain-status.js';
import { Sources } from './explained-sources.js';

/** Explains the value of each field of an identity, and why each record belongs to it. */
export function explain(found: ExplainedIdentity): responses.Explanation {
  const identity = JSON.parse(found.document) as responses.Identity;
  const sources = new Sources(found);
  return {
    identity_id: identity.id,
    display_name: identity.display_name,
    fields: [
      ...explainStatus(identity.status, found, sources),
      ...explainFields(identity, found.records, sources),
      ...explainLists(found.records, sources),
    ],
    records: found.records.map((record) => explainLink(record, found)),
  };
}
