import { createHash } from 'node:crypto';
import { encodeId, installationId } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { type AuditInput, entryMac, firstHash, hashOf, headMac, keyIdOf, newChainKey, seal } from './chain.js';

const chain = '0199d0f0-0000-7000-8000-000000000001';
const otherChain = '0199d0f0-0000-7000-8000-000000000002';
const key = Buffer.alloc(32, 1);
const otherKey = Buffer.alloc(32, 2);
const at = new Date('2026-11-24T10:00:00.123Z');
const input: AuditInput = { outcome: 'accepted', action: 'updateX', actor: { name: 'Ada', kind: 'anonymous' } };

describe('an entry of the audit log', () => {
  it('continues its chain: the next sequence, and the hash of the entry before it', () => {
    const first = seal(chain, { sequence: 0, hash: firstHash }, at, input, key);
    const second = seal(chain, first, at, input, key);
    expect([first.sequence, second.sequence]).toEqual([1, 2]);
    expect(JSON.parse(first.entry)).toMatchObject({ sequence: 1, previous_hash: '00'.repeat(32) });
    expect(JSON.parse(second.entry)).toMatchObject({ sequence: 2, previous_hash: first.hash.toString('hex') });
  });

  it('is canonical JSON with its public id, tenant and time, and its hash is the SHA-256 of that text', () => {
    const { id, entry, hash } = seal(chain, { sequence: 6, hash: firstHash }, at, input, key);
    const [entryId, tenantId] = [encodeId('auditEntry', id), encodeId('tenant', chain)];
    expect(entry).toBe(
      `{"action":"updateX","actor":{"kind":"anonymous","name":"Ada"},"at":"2026-11-24T10:00:00.123Z","id":"${entryId}",` +
        `"outcome":"accepted","previous_hash":"${'00'.repeat(32)}","sequence":7,"tenant_id":"${tenantId}"}`,
    );
    expect(hash).toEqual(createHash('sha256').update(entry).digest());
    expect(hashOf(entry)).toEqual(hash);
  });

  it('of the installation has no tenant', () => {
    const { entry } = seal(installationId, { sequence: 0, hash: firstHash }, at, input, key);
    expect(JSON.parse(entry)).not.toHaveProperty('tenant_id');
  });

  it('replaces lone surrogates in names and values, and keeps everything else', () => {
    const after = { 'n\ud800': ['v\udc00', null, 1, true, { deep: '\ud83d\ude00' }] };
    const { entry } = seal(chain, { sequence: 0, hash: firstHash }, at, { ...input, after }, key);
    expect(JSON.parse(entry).after).toEqual({ 'n\ufffd': ['v\ufffd', null, 1, true, { deep: '\ud83d\ude00' }] });
  });

  it('is signed for its chain and with the key that its key id identifies', () => {
    const { hash, mac, keyId } = seal(chain, { sequence: 0, hash: firstHash }, at, input, key);
    expect(mac).toEqual(entryMac(chain, hash, key));
    expect(mac).not.toEqual(entryMac(otherChain, hash, key));
    expect(mac).not.toEqual(entryMac(chain, hash, otherKey));
    expect(keyId).toEqual(keyIdOf(key));
    expect(keyId).toHaveLength(8);
    expect(keyId).not.toEqual(keyIdOf(otherKey));
    expect(key.includes(keyId)).toBe(false);
  });
});

describe('the head of an audit chain', () => {
  it('has a code of its sequence, hash, chain and key, which no entry contains', () => {
    const hash = hashOf('entry');
    const mac = headMac(chain, { sequence: 3, hash }, key);
    const others = [
      headMac(chain, { sequence: 4, hash }, key),
      headMac(chain, { sequence: 3, hash: firstHash }, key),
      headMac(otherChain, { sequence: 3, hash }, key),
      headMac(chain, { sequence: 3, hash }, otherKey),
      entryMac(chain, hash, key),
    ];
    expect(headMac(chain, { sequence: 3, hash }, key)).toEqual(mac);
    for (const other of others) expect(other).not.toEqual(mac);
  });

  it('is written with a random key of 32 bytes', () => {
    expect(newChainKey()).toHaveLength(32);
    expect(newChainKey()).not.toEqual(newChainKey());
  });
});
