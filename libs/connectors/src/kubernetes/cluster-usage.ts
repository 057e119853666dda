import { SourceError } from '../connector.js';
import type { ApiClient } from '../http/api-client.js';
import type { WaitBudget } from '../http/waiting.js';
import { scalarText, valueAt } from '../json/json-value.js';
import { forEachObject } from './kubernetes-list.js';

/** Pods and secrets that are asked for at once: an answer has some ten kilobytes for each pod. */
const chunkSize = 500;
/** Names that are kept; some 100 MB. */
const maxTokens = 500_000;

/** A long-lived token, by its name and age; never by its value. */
export interface NamedToken {
  name: string;
  createdAt: string | undefined;
}

interface About {
  client: ApiClient;
  /** `/api/v1`, or that of one namespace. */
  base: string;
  signal: AbortSignal;
  budget: WaitBudget;
}

/** How many pods that have not ended run as each service account, by `accountKey`. */
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

/** The token secrets of each service account, by its uid, so that one made anew under an old name is not taken for it. */
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
      if (count > maxTokens) throw new SourceError(`${base}/secrets has more than ${maxTokens} tokens`);
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
