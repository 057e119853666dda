import type { AwsIamConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import { ApiClient, type Refusal } from '../http/api-client.js';
import type { HttpTransport } from '../http/http-transport.js';
import type { WaitBudget } from '../http/waiting.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import { iamError, iamXml } from './iam-xml.js';
import { type AwsCredentials, sigv4 } from './sigv4.js';

export interface About {
  signal: AbortSignal;
  budget: WaitBudget;
}

/** Calls an action of IAM and gives its result. Throws SourceError, StatusError with IAM's code for what it refuses. */
export type CallIam = (
  action: string,
  parameters: Record<string, string | undefined>,
  about: About,
) => Promise<JsonObject>;

const throttlingCodes =
  /^(Throttling|ThrottlingException|ThrottledException|RequestThrottled(Exception)?|RequestLimitExceeded|TooManyRequestsException|SlowDown)$/;

export function iamClient(
  transport: HttpTransport,
  { url, region }: AwsIamConfig,
  credentials: AwsCredentials,
): CallIam {
  const client = new ApiClient(transport, {
    baseUrl: url,
    auth: sigv4(credentials, { region, service: 'iam' }),
    headers: { accept: 'text/xml' },
    throttled: isThrottled,
    explain: iamError,
  });
  return async (action, parameters, { signal, budget }) => {
    const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const form = { Action: action, Version: '2010-05-08', ...Object.fromEntries(given) };
    const { body } = await client.page(signal, budget).post('/', { form, as: 'text' });
    return resultOf(action, String(body));
  };
}

/** IAM says 400 where others say 429. */
function isThrottled({ status, body }: Refusal): number | undefined {
  if (status < 400) return undefined;
  return throttlingCodes.test(iamError(body.toString('utf8')).code ?? '') ? 0 : undefined;
}

function resultOf(action: string, text: string): JsonObject {
  let answer: ReturnType<typeof iamXml>;
  try {
    answer = iamXml(text);
  } catch {
    throw new SourceError(`${action} of IAM was answered with something that is no XML`);
  }
  const result = valueAt(answer.value, `${action}Result`);
  if (answer.name !== `${action}Response` || !isObject(result)) {
    throw new SourceError(`${action} of IAM was answered with something else`);
  }
  return result;
}

/** A page of a list of IAM: it says itself whether there is more. */
export function iamPage(action: string, result: JsonObject, list: string): { items: unknown[]; marker?: string } {
  const items = valueAt(result, list);
  // A list without a member is an empty element.
  const isEmpty = typeof items === 'string' && items.trim() === '';
  if (!isEmpty && !Array.isArray(items)) throw new SourceError(`${action} of IAM was answered without ${list}`);
  const truncated = scalarText(valueAt(result, 'IsTruncated'));
  const marker = scalarText(valueAt(result, 'Marker'));
  if (truncated !== 'true' && truncated !== 'false') {
    throw new SourceError(`${action} of IAM was answered without IsTruncated, so nobody knows whether that is all`);
  }
  if (truncated === 'true' && !marker) throw new SourceError(`${action} of IAM tells of more, but not how to get it`);
  return { items: Array.isArray(items) ? items : [], ...(truncated === 'true' && marker && { marker }) };
}
