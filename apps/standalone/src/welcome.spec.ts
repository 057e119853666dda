import { describe, expect, it } from '@jest/globals';
import { welcome } from './welcome.js';

const started = {
  baseUrl: 'http://127.0.0.1:3000',
  adminToken: 'the-operator-token',
  apiKey: 'iss_key_secret',
  credentialsFile: '/data/credentials.json',
  busUp: true,
};

describe('the message after npm start', () => {
  it('shows the API key and the operator token on a terminal', () => {
    const text = welcome({ ...started, showSecrets: true });
    expect(text).toContain('the-operator-token');
    expect(text).toContain("curl -s -H 'X-API-Key: iss_key_secret'");
  });

  it('shows the credentials file instead of secrets if the output is no terminal', () => {
    const text = welcome({ ...started, showSecrets: false });
    expect(text).not.toContain('the-operator-token');
    expect(text).not.toContain('iss_key_secret');
    expect(text).toContain('/data/credentials.json');
  });
});
