import { queues, type ServiceName, services } from '@idsync/contracts';
import { serviceRoles } from '@idsync/database';
import { describe, expect, it } from '@jest/globals';
import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import type { IExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1/ExternalSecret';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { containerOf, labelsOf, nameOf, ofKind, selects } from './objects.js';
import { kustomize, type Manifest, render } from './render.js';

const describeRendered = kustomize ? describe : describe.skip;

describeRendered.each(['production', 'example'])('the overlay %s', (overlay) => {
  const manifests = kustomize ? render(`overlays/${overlay}`) : [];
  const policies = ofKind<INetworkPolicy>(manifests, 'NetworkPolicy');
  const scaled = ofKind<IScaledObject>(manifests, 'ScaledObject');

  it('scales each service by one scaler, which says alone how many there are', () => {
    const targets = [...ofKind<IHorizontalPodAutoscaler>(manifests, 'HorizontalPodAutoscaler'), ...scaled].map(
      ({ spec }) => spec?.scaleTargetRef.name,
    );
    expect(targets.sort()).toEqual([...services].sort());
    for (const { spec } of ofKind<IDeployment>(manifests, 'Deployment')) expect(spec).not.toHaveProperty('replicas');
  });

  it('scales by queues that the service takes from, and by tables as the role of the service', () => {
    for (const { spec } of scaled) {
      const service = spec?.scaleTargetRef.name as ServiceName;
      for (const { type, metadata, authenticationRef } of spec?.triggers ?? []) {
        expect(ofKind<Manifest>(manifests, 'TriggerAuthentication').map(nameOf)).toContain(authenticationRef?.name);
        if (type === 'postgresql') expect(metadata.userName).toBe(serviceRoles[service]);
        else expect(queues[metadata.queueName as keyof typeof queues].service).toBe(service);
      }
    }
  });

  it('lets each service log in as its own role', () => {
    const [cluster] = ofKind<ICluster>(manifests, 'Cluster');
    const roles = cluster?.spec?.managed?.roles ?? [];
    expect(roles.map(({ name }) => name).sort()).toEqual(Object.values(serviceRoles).sort());
    for (const service of services) {
      const role = roles.find(({ name }) => name === serviceRoles[service]);
      const password = templateOf(role?.passwordSecret?.name ?? '');
      expect(password.username).toBe(serviceRoles[service]);
      expect(new URL(templateOf(service).DATABASE_URL ?? '').username).toBe(serviceRoles[service]);
    }
    const owner = templateOf(cluster?.spec?.bootstrap?.initdb?.secret?.name ?? '');
    expect(owner.username).toBe(cluster?.spec?.bootstrap?.initdb?.owner);
    expect(new URL(templateOf('migrate').DATABASE_URL ?? '').username).toBe(owner.username);
  });

  it('gives no service what another one logs in with', () => {
    for (const deployment of ofKind<IDeployment>(manifests, 'Deployment')) {
      const secrets = containerOf(deployment).env?.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name);
      expect([...new Set(secrets)]).toEqual([nameOf(deployment), 'rabbitmq-default-user']);
    }
  });

  it('has a policy for every port of every container', () => {
    for (const deployment of ofKind<IDeployment>(manifests, 'Deployment')) {
      const mine = policies.filter(({ spec }) => selects(spec?.podSelector, labelsOf(deployment)));
      const open = mine
        .flatMap(({ spec }) => spec?.ingress ?? [])
        .flatMap(({ ports = [] }) => ports.map(({ port }) => port));
      for (const { name } of containerOf(deployment).ports ?? []) expect(open).toContain(name);
    }
  });

  it('shows the public interface to the world, not that of operators and nothing internal', () => {
    const rules = ofKind<IHTTPRoute>(manifests, 'HTTPRoute').flatMap(({ spec }) => spec?.rules ?? []);
    const paths = rules.flatMap(({ matches = [] }) => matches.map(({ path }) => path?.value));
    expect(paths.sort()).toEqual(['/docs', '/openapi.json', '/scim/v2', '/v1']);
    for (const { backendRefs, matches } of rules) expect(backendRefs === undefined || matches !== undefined).toBe(true);
  });

  function templateOf(name: string): Record<string, string> {
    const secret = ofKind<IExternalSecret>(manifests, 'ExternalSecret').find((each) => nameOf(each) === name);
    return secret?.spec?.target?.template?.data ?? {};
  }
});
