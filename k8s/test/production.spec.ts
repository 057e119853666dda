import { queues, type ServiceName, services } from '@idsync/contracts';
import { serviceRoles } from '@idsync/database';
import { expect, it } from '@jest/globals';
import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import type { IExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1/ExternalSecret';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { containerOf, labelsOf, nameOf, ofKind, selects } from './objects.js';
import type { IRabbitmqCluster } from './rabbitmq-cluster.js';
import { describeRendered, kustomize, type Manifest, render } from './render.js';

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

  it('never puts two of PostgreSQL, or two of RabbitMQ, on one machine', () => {
    const [postgresql] = ofKind<ICluster>(manifests, 'Cluster');
    expect(postgresql?.spec?.affinity).toMatchObject({
      topologyKey: 'kubernetes.io/hostname',
      podAntiAffinityType: 'required',
    });
    const [rabbitmq] = ofKind<IRabbitmqCluster>(manifests, 'RabbitmqCluster');
    expect(rabbitmq?.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      {
        topologyKey: 'kubernetes.io/hostname',
        labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'rabbitmq' } },
      },
    ]);
  });

  it('gives no service what another one logs in with', () => {
    for (const deployment of ofKind<IDeployment>(manifests, 'Deployment')) {
      const secrets = containerOf(deployment).env?.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []);
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

  it('lets those who pass requests on to the gateway reach the pods that prove its name for a certificate', () => {
    const solver = { 'acme.cert-manager.io/http01-solver': 'true' };
    const toSolver = policies.filter(
      ({ spec }) => Object.keys(spec?.podSelector?.matchLabels ?? {}).length > 0 && selects(spec?.podSelector, solver),
    );
    const toGateway = policies.filter(({ metadata }) => metadata?.name === 'gateway-from-ingress');
    const from = (which: typeof policies) => which.map(({ spec }) => spec?.ingress?.map((rule) => rule.from));
    expect(from(toSolver)).toEqual(from(toGateway));
    expect(toSolver[0]?.spec?.ingress?.[0]?.ports).toEqual([{ protocol: 'TCP', port: 8089 }]);
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

describeRendered('the overlay of one company', () => {
  it('has a value of its own for all that docs/kubernetes.md says to change', () => {
    const rendered = (overlay: string) => JSON.stringify(kustomize ? render(`overlays/${overlay}`) : []);
    const [ours, theirs] = [rendered('production'), rendered('example')];
    for (const value of [
      '"image":"idsync/',
      'idsync.example.com',
      'envoy',
      'letsencrypt',
      '"name":"idsync"},"target"',
    ]) {
      expect(ours).toContain(value);
      expect(theirs).not.toContain(value);
    }
    const storage = (kind: string) => ofKind<Manifest>(kustomize ? render('overlays/example') : [], kind);
    for (const kind of ['Cluster', 'RabbitmqCluster'])
      expect(JSON.stringify(storage(kind))).toMatch(/"storageClass(Name)?":"fast"/);
  });
});
