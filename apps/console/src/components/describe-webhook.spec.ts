import { describe, expect, it } from '@jest/globals';
import { healthOf, hostOf } from './describe-webhook.js';

const healthy = { active: true, breaker: { state: 'closed' }, dead: { count: 0 }, failures: 0 };

describe('the health of a webhook in the console', () => {
  it('is healthy without failures', () => {
    expect(healthOf(healthy)).toEqual({ tone: 'ok', word: 'Healthy' });
  });

  it('names why it was switched off, and what helps', () => {
    const { word, reason } = healthOf({
      ...healthy,
      active: false,
      disabled_at: 'x',
      disabled_reason: 'It answered 410.',
    });
    expect(word).toBe('Switched off');
    expect(reason).toContain('It answered 410.');
    expect(reason).toContain('requeue');
  });

  it('distinguishes an inactive webhook from one that was switched off', () => {
    expect(healthOf({ ...healthy, active: false }).word).toBe('Inactive');
  });

  it('shows an open breaker before dead deliveries, and those before failures', () => {
    const failing = { ...healthy, failures: 3 };
    expect(healthOf(failing).word).toBe('Fails');
    expect(healthOf({ ...failing, dead: { count: 1 } }).word).toBe('Has dead deliveries');
    expect(healthOf({ ...failing, dead: { count: 1 }, breaker: { state: 'open' } }).word).toBe('Does not answer');
  });

  it('says that a webhook does not answer also while one attempt is allowed', () => {
    const { word, reason } = healthOf({ ...healthy, failures: 12, breaker: { state: 'half_open' } });
    expect(word).toBe('Does not answer');
    expect(reason).toContain('12 attempts failed in a row');
  });

  it('shows the host of an address, and text that is no address as it is', () => {
    expect(hostOf('https://hooks.example:8443/in?x=1')).toBe('hooks.example:8443');
    expect(hostOf('nonsense')).toBe('nonsense');
  });
});
