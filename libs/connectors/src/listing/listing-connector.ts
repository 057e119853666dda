import type { RecordKind } from '@idsync/contracts';
import { CheckpointExpired, type Connector, type Page, type ReadOptions } from '../connector.js';
import { findByFullRead } from '../find-by-full-read.js';
import type { ApiAccess } from '../http/api-source.js';
import { defaultLimits } from '../http/http-limits.js';
import { HttpTransport } from '../http/http-transport.js';
import { WaitBudget } from '../http/waiting.js';
import { jsonFields } from '../json/json-fields.js';
import type { JsonObject } from '../json/json-value.js';
import type { Mapping } from '../map-record.js';
import type { Listing } from './listing.js';
import { readListings } from './read-listings.js';

/** The access to an API and the kind of records to read. */
export interface ListingAccess extends ApiAccess {
  records: RecordKind;
}

interface ListingSource {
  access: ListingAccess;
  ca: string | undefined;
  mapping: Omit<Mapping, 'kind'>;
  /** Creates the lists in reading order. Called for each read, with its connections. */
  listings(transport: HttpTransport): Listing[];
  /** False if finding one record in the lists would take too many calls. */
  readsOne?: boolean;
}

/** Number of documents read per list to discover fields. */
const discoverCount = 50;

/** Creates a connector for a source of lists without incremental reads. Throws SourceError for invalid secrets. */
export function listingConnector({ access, ca, mapping, listings, readsOne = true }: ListingSource): Connector {
  const { allowedCidrs, limits, records } = access;
  const waitMs = limits?.waitMs ?? defaultLimits.waitMs;
  const open = () => new HttpTransport({ allowedCidrs, limits, ca });
  async function* read(options: ReadOptions): AsyncGenerator<Page> {
    if (options.since) throw new CheckpointExpired('this source does not support incremental reads');
    options.signal.throwIfAborted();
    const transport = open();
    try {
      yield* readListings(listings(transport), { ...mapping, kind: records }, options, waitMs);
    } finally {
      await transport.close();
    }
  }

  return {
    read,
    // A record combines several lists, so it cannot be requested alone.
    ...(readsOne && { readOne: (externalId, signal) => findByFullRead(read, externalId, signal) }),
    async discover(signal) {
      const transport = open();
      try {
        const found: JsonObject[] = [];
        for (const listing of listings(transport)) {
          const { documents } = await listing.read({ limit: discoverCount, signal, budget: new WaitBudget(waitMs) });
          found.push(...documents.slice(0, discoverCount));
        }
        return jsonFields(found);
      } finally {
        await transport.close();
      }
    },
  };
}
