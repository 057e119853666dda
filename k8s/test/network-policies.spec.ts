import { services } from '@idsync/contracts';
import { publicNetworks } from '@idsync/runtime';
import { expect, it } from '@jest/globals';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { labelsOf, ofKind, selects, workloadOf } from './objects.js';
import { describeRendered, kustomize, overlays, render } from './render.js';

const ours = [...services, 'migrate'] as const;

describeRendered.each(overlays)('the network policies of the overlay %s', (overlay) => {
  const manifests = kustomize ? render(`overlays/${overlay}`) : [];
  const policies = ofKind<INetworkPolicy>(manifests, 'NetworkPolicy');

  it('deny ingress and egress that no policy allows', () => {
    const denying = policies.find(
      ({ spec }) => spec?.podSelector && Object.keys(spec.podSelector).length === 0 && !spec.egress,
    );
    expect(denying?.spec?.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(denying?.spec).not.toHaveProperty('ingress');
  });

  it('let only the sync-worker and the webhook-dispatcher reach the internet, and the gateway the identity provider', () => {
    const issuer = settingOf('OIDC_ISSUER');
    const out = ours.filter((name) => internetOf(name).length > 0);
    expect(out.sort()).toEqual([...(issuer ? ['gateway'] : []), 'sync-worker', 'webhook-dispatcher']);
    const rules = egressOf('gateway').filter(({ to }) => !to || to.some(({ ipBlock }) => ipBlock));
    const port = { protocol: 'TCP', port: Number(issuer && new URL(issuer).port) || 443 };
    expect(rules.map(({ ports }) => ports)).toEqual(issuer ? [[port]] : []);
    // Addresses of one provider, not the internet.
    expect(internetOf('gateway').filter(({ cidr }) => Number(cidr.split('/')[1]) < 16)).toEqual([]);
  });

  it.each([
    ['sync-worker', 'SOURCE_ALLOW_CIDRS'],
    ['webhook-dispatcher', 'WEBHOOK_ALLOW_CIDRS'],
  ])('let %s reach exactly the public networks and those in %s', (name, variable) => {
    const allowed =
      settingOf(variable)
        ?.split(',')
        .flatMap((cidr) => (cidr ? { cidr } : [])) ?? [];
    const reached = internetOf(name);
    expect(reached).toEqual(expect.arrayContaining([...publicNetworks, ...allowed]));
    expect(reached).toHaveLength(publicNetworks.length + allowed.length);
  });

  it.each(ours)('let %s reach PostgreSQL', (name) => {
    expect(egressOf(name).some(({ ports }) => ports?.some(({ port }) => port === 5432))).toBe(true);
    const accepted = policies.filter(({ spec }) =>
      spec?.ingress?.some(({ ports }) => ports?.some(({ port }) => port === 5432)),
    );
    expect(accepted.length).toBeGreaterThan(0);
  });

  function settingOf(variable: string): string | undefined {
    const [settings] = ofKind<IConfigMap>(manifests, 'ConfigMap').filter(({ data }) => data && variable in data);
    return settings?.data?.[variable];
  }

  function policiesOf(name: string): INetworkPolicy[] {
    const labels = labelsOf(workloadOf(manifests, name));
    return policies.filter(({ spec }) => selects(spec?.podSelector, labels));
  }

  function egressOf(name: string) {
    return policiesOf(name).flatMap(({ spec }) => spec?.egress ?? []);
  }

  /** A rule without `to` allows every address. */
  function internetOf(name: string) {
    return egressOf(name).flatMap(({ to }) => to?.flatMap(({ ipBlock }) => ipBlock ?? []) ?? [{ cidr: '0.0.0.0/0' }]);
  }
});
