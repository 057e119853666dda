import type { ScimConfig } from '@idsync/contracts';
import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { getOne } from '../http/get-one.js';
import { scimAnswer } from './scim-listing.js';

interface FoundResources {
  resources: unknown[];
  /** Whether the service itself reported that there are no others. */
  proven: boolean;
}

/** A top-level attribute. A filter on a path into lists could match another value. */
const attribute = /^[a-z][\w$-]*$/i;
/** Statuses of a rejected or unsupported filter. */
const refused = new Set([400, 403, 404, 501]);

/** Finds resources by id: directly by the id of the resource, or by a filter on another attribute. */
export async function findResources(
  client: ApiClient,
  { resource, filter, external_id: name }: ScimConfig,
  externalId: string,
  signal: AbortSignal,
): Promise<FoundResources> {
  const path = `/${resource}`;
  const requests = client.page(signal);
  // The service may not know the normal form of an id.
  if (name === 'id' && filter === undefined && /^[ -~]*$/.test(externalId)) {
    const answer = await getOne(
      requests,
      `${path}/${encodeURIComponent(externalId)}`,
      { shownAs: `${path}/{id}` },
      async () => {
        scimAnswer(await requests.get(path, { query: { startIndex: 1, count: 1 } }));
      },
    );
    return { resources: answer ? [answer.body] : [], proven: answer === undefined };
  }
  if (!attribute.test(name)) return { resources: [], proven: false };
  const named = `${name} eq ${JSON.stringify(externalId)}`;
  try {
    const query = { filter: filter === undefined ? named : `(${filter}) and ${named}` };
    return { resources: scimAnswer(await requests.get(path, { query })).resources, proven: false };
  } catch (error) {
    if (error instanceof StatusError && refused.has(error.status)) return { resources: [], proven: false };
    throw error;
  }
}
