/** Bytes of a response of the identity provider. */
const maxBytes = 1_048_576;

type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/**
 * Wraps `fetch` for requests to the identity provider: a time limit for the whole response, a limit on its size, and no
 * redirects, so that it cannot send the gateway to another address. All of its addresses need TLS if its issuer has it.
 */
export function boundedFetch(timeoutMs: number, issuer = 'http:'): Fetch {
  return async (url, options) => {
    if (issuer.startsWith('https:') && !String(url).startsWith('https:'))
      throw new Error('the identity provider names an address without https');
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...options, redirect: 'manual', signal });
    const body = await readBounded(response);
    return new Response(body.length === 0 ? null : body, { status: response.status, headers: response.headers });
  };
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
