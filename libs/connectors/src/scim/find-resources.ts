import type { ScimConfig } from '@idsync/contracts';
import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { getOne } from '../http/get-one.js';
import { scimAnswer } from './scim-listing.js';

interface FoundResources {
  resources: unknown[];
  /** True where the service itself has said that there are no others. */
  proven: boolean;
}

/** An attribute of the resource itself, which a filter can name; a path into lists may mean another value there. */
const attribute = /^[a-z][\w$-]*$/i;
/** A filter that is refused, or not implemented. */
const refused = new Set([400, 403, 404, 501]);

/** The resources that an id may be of: that with the resource's own id, or those that a filter finds. */
export async function findResources(
  client: ApiClient,
  { resource, filter, external_id: name }: ScimConfig,
  externalId: string,
  signal: AbortSignal,
): Promise<FoundResources> {
  const path = `/${resource}`;
  const requests = client.page(signal);
  if (name === 'id' && filter === undefined) {
    const answer = await getOne(requests, `${path}/${encodeURIComponent(externalId)}`, {}, async () => {
      scimAnswer(await requests.get(path, { query: { startIndex: 1, count: 1 } }));
    });
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
