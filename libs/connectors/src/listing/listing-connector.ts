import type { RecordKind } from '@idsync/contracts';
import { CheckpointExpired, type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { defaultLimits, type HttpLimits } from '../http/http-limits.js';
import { HttpTransport } from '../http/http-transport.js';
import { WaitBudget } from '../http/waiting.js';
import { jsonFields } from '../json/json-fields.js';
import type { JsonObject } from '../json/json-value.js';
import { lookThrough } from '../look-through.js';
import type { Mapping } from '../map-record.js';
import type { Listing } from './listing.js';
import { readListings } from './read-listings.js';

/** How an API may be reached. */
export interface ApiAccess {
  records: RecordKind;
  /** Opened, and of the connector's shape. */
  secrets: Readonly<Record<string, string | undefined>>;
  /** Private networks that may be called. */
  allowedCidrs: readonly string[];
  limits?: Partial<HttpLimits>;
}

interface ListingSource {
  access: ApiAccess;
  ca: string | undefined;
  mapping: Omit<Mapping, 'kind'>;
  /** What is read, in this order; made anew for each read, whose connections it uses. */
  listings(transport: HttpTransport): Listing[];
  /** False where looking through the lists for one record would take too many calls. */
  readsOne?: boolean;
}

/** Documents to look at where somebody asks what there is to map. */
const discoverCount = 50;

/** A source whose records stand in lists; it cannot tell its changes. Throws SourceError for secrets that can never be used. */
export function listingConnector({ access, ca, mapping, listings, readsOne = true }: ListingSource): Connector {
  const { allowedCidrs, limits, records } = access;
  const waitMs = limits?.waitMs ?? defaultLimits.waitMs;
  const open = () => new HttpTransport({ allowedCidrs, limits, ca });
  async function* read(options: ReadOptions): AsyncGenerator<Page> {
    if (options.since) throw new CheckpointExpired('this source cannot tell what has changed');
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
    // What one record needs is in several lists, and an answer for it alone would lack some of it.
    ...(readsOne && { readOne: (externalId, signal) => lookThrough(read, externalId, signal) }),
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

/** A secret that a configuration needs. */
export function neededSecret({ secrets }: ApiAccess, name: string): string {
  const secret = secrets[name];
  if (secret === undefined || secret === '') throw new SourceError(`the secret "${name}" is missing`);
  return secret;
}
