import { SourceError } from '../connector.js';
import type { ApiClient } from '../http/api-client.js';
import type { WaitBudget } from '../http/waiting.js';
import { scalarText, valueAt } from '../json/json-value.js';
import { forEachObject } from './kubernetes-list.js';

/** Page size for pods and secrets; a pod has about ten kilobytes. */
const chunkSize = 500;
/** Maximum number of token names in memory, about 100 MB. */
const maxTokens = 500_000;

/** Name and age of a long-lived token, without its value. */
export interface NamedToken {
  name: string;
  createdAt: string | undefined;
}

interface About {
  client: ApiClient;
  /** `/api/v1`, or the path of one namespace. */
  base: string;
  signal: AbortSignal;
  budget: WaitBudget;
}

/** Counts the unfinished pods of each service account, by `accountKey`. */
export async function countPods({ client, base, signal, budget }: About): Promise<Map<string, number>> {
  const pods = new Map<string, number>();
  await forEachObject(
    client,
    { path: `${base}/pods`, kind: 'Pod', query: { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' } },
    { limit: chunkSize, signal, budget },
    () => pods.clear(),
    (pod) => {
      const name = textAt(valueAt(pod, 'spec'), 'serviceAccountName') ?? 'default';
      const key = accountKey(textAt(valueAt(pod, 'metadata'), 'namespace') ?? '', name);
      pods.set(key, (pods.get(key) ?? 0) + 1);
    },
  );
  return pods;
}

/**
 * Returns the token secrets of each service account by uid, so that a recreated account with the same name is distinct.
 */
export async function nameTokens({ client, base, signal, budget }: About): Promise<Map<string, NamedToken[]>> {
  const tokens = new Map<string, NamedToken[]>();
  let count = 0;
  await forEachObject(
    client,
    {
      path: `${base}/secrets`,
      kind: 'Secret',
      query: { fieldSelector: 'type=kubernetes.io/service-account-token' },
      metadataOnly: true,
    },
    { limit: chunkSize, signal, budget },
    () => {
      tokens.clear();
      count = 0;
    },
    (secret) => {
      const metadata = valueAt(secret, 'metadata');
      const account = textAt(valueAt(metadata, 'annotations'), 'kubernetes.io/service-account.uid');
      const name = textAt(metadata, 'name');
      if (account === undefined || name === undefined) return;
      count += 1;
      if (count > maxTokens) throw new SourceError(`${base}/secrets has more than ${maxTokens} tokens`, 'too_large');
      const token = { name, createdAt: textAt(metadata, 'creationTimestamp') };
      const known = tokens.get(account);
      if (known) known.push(token);
      else tokens.set(account, [token]);
    },
  );
  return tokens;
}

export function accountKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export function textAt(value: unknown, name: string): string | undefined {
  return scalarText(valueAt(value, name));
}
