import { posix } from 'node:path';
import { queues, type ServiceName, services } from '@idsync/contracts';
import { autoscalerRole, serviceRoles } from '@idsync/database/schema';
import { brokerPermissions } from '@idsync/messaging';
import { expect, it } from '@jest/globals';
import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import type { IExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1beta1/ExternalSecret';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { containerOf, labelsOf, nameOf, ofKind, podOf, selects, workloadOf } from './objects.js';
import type { IPermission, IRabbitmqCluster, IUser } from './rabbitmq-cluster.js';
import { describeRendered, kustomize, type Manifest, render } from './render.js';

describeRendered.each(['production', 'example'])('the overlay %s', (overlay) => {
  const manifests = kustomize ? render(`overlays/${overlay}`) : [];
  const policies = ofKind<INetworkPolicy>(manifests, 'NetworkPolicy');
  const scaled = ofKind<IScaledObject>(manifests, 'ScaledObject');

  it('scales each service with exactly one scaler and sets no replicas', () => {
    const targets = [...ofKind<IHorizontalPodAutoscaler>(manifests, 'HorizontalPodAutoscaler'), ...scaled].map(
      ({ spec }) => spec?.scaleTargetRef.name,
    );
    expect(targets.sort()).toEqual([...services].sort());
    for (const { spec } of ofKind<IDeployment>(manifests, 'Deployment')) expect(spec).not.toHaveProperty('replicas');
  });

  it('scales by queues of the service and by database views read with the autoscaler login', () => {
    for (const { spec } of scaled) {
      const service = spec?.scaleTargetRef.name as ServiceName;
      for (const { type, metadata, authenticationRef } of spec?.triggers ?? []) {
        expect(ofKind<Manifest>(manifests, 'TriggerAuthentication').map(nameOf)).toContain(authenticationRef?.name);
        if (type === 'postgresql') expect(metadata).toMatchObject({ userName: autoscalerRole, sslmode: 'verify-full' });
        else expect(queues[metadata.queueName as keyof typeof queues].service).toBe(service);
      }
    }
  });

  it('lets each service log in to PostgreSQL with its own role', () => {
    const [cluster] = ofKind<ICluster>(manifests, 'Cluster');
    const roles = cluster?.spec?.managed?.roles ?? [];
    expect(roles.map(({ name }) => name).sort()).toEqual([...Object.values(serviceRoles), autoscalerRole].sort());
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

  it('lets the gateway alone read from replicas, with its own login, if it has the component for it', () => {
    const has = overlay === 'example';
    const readUrls = services.map((service) => [service, templateOf(service).DATABASE_READ_URL !== undefined]);
    expect(readUrls).toEqual(services.map((service) => [service, has && service === 'gateway']));
    const gateway = ofKind<IDeployment>(manifests, 'Deployment').find(({ metadata }) => metadata?.name === 'gateway');
    const files = gateway && containerOf(gateway).env?.filter(({ name }) => name === 'DATABASE_READ_URL_FILE');
    expect(files).toEqual(
      has ? [{ name: 'DATABASE_READ_URL_FILE', value: '/etc/idsync/secrets/DATABASE_READ_URL' }] : [],
    );
    if (!has) return;
    const [own, replicas] = [templateOf('gateway').DATABASE_URL, templateOf('gateway').DATABASE_READ_URL];
    expect(replicas).toBe(own?.replace('postgresql-rw', 'postgresql-ro'));
  });

  it('never schedules two instances of PostgreSQL or RabbitMQ on one node', () => {
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

  it('gives no service the credentials of another', () => {
    for (const deployment of ofKind<IDeployment>(manifests, 'Deployment')) {
      const secrets = podOf(deployment).volumes?.flatMap(({ secret }) =>
        secret && !secret.items?.every(({ key }) => key === 'ca.crt') ? [secret.secretName] : [],
      );
      expect(secrets).toEqual([nameOf(deployment)]);
    }
  });

  it('lets each service log in to RabbitMQ with its own login, over TLS, and use only its own queues', () => {
    const [broker] = ofKind<IRabbitmqCluster>(manifests, 'RabbitmqCluster');
    expect(broker?.spec.tls?.disableNonTLSListeners).toBe(true);
    const permissions = ofKind<IPermission>(manifests, 'Permission');
    for (const service of services) {
      const { protocol, username, searchParams } = new URL(templateOf(service).AMQP_URL ?? '');
      const user = ofKind<IUser>(manifests, 'User').find((each) => nameOf(each) === service);
      expect(templateOf(user?.spec.importCredentialsSecret.name ?? '').username).toBe(username);
      expect(permissions.find(({ spec }) => spec.userReference.name === service)?.spec.permissions).toEqual(
        brokerPermissions(service),
      );
      expect(protocol).toBe('amqps:');
      const authority = containerOf(workloadOf(manifests, service)).volumeMounts?.map(({ mountPath }) => mountPath);
      expect(authority).toContain(posix.dirname(searchParams.get('cacertfile') ?? ''));
    }
  });

  it('lets the autoscaler count RabbitMQ messages over verified TLS and do nothing else', () => {
    const nothing = { configure: '^$', write: '^$', read: '^$' };
    const permissions = ofKind<IPermission>(manifests, 'Permission');
    expect(permissions.find(({ spec }) => spec.userReference.name === 'autoscaler')?.spec.permissions).toEqual(nothing);
    const { host, tls, username } = templateOf('rabbitmq-autoscaler');
    expect(new URL(host ?? '')).toMatchObject({ protocol: 'amqps:', username });
    expect(tls).toBe('enable');
    const authentication = ofKind<ITriggerAuthentication>(manifests, 'TriggerAuthentication');
    const targets = authentication.find((each) => nameOf(each) === 'rabbitmq')?.spec?.secretTargetRef;
    expect(targets).toContainEqual({ parameter: 'ca', name: 'rabbitmq-tls', key: 'ca.crt' });
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

  it('lets the ingress that reaches the gateway also reach ACME challenge pods', () => {
    const solver = { 'acme.cert-manager.io/http01-solver': 'true' };
    const toSolver = policies.filter(
      ({ spec }) => Object.keys(spec?.podSelector?.matchLabels ?? {}).length > 0 && selects(spec?.podSelector, solver),
    );
    const toGateway = policies.filter(({ metadata }) => metadata?.name === 'gateway-from-ingress');
    const from = (which: typeof policies) => which.map(({ spec }) => spec?.ingress?.map((rule) => rule.from));
    expect(from(toSolver)).toEqual(from(toGateway));
    expect(toSolver[0]?.spec?.ingress?.[0]?.ports).toEqual([{ protocol: 'TCP', port: 8089 }]);
  });

  it('routes the public API and neither the operator API nor internal ports', () => {
    const rules = ofKind<IHTTPRoute>(manifests, 'HTTPRoute').flatMap(({ spec }) => spec?.rules ?? []);
    const paths = rules.flatMap(({ matches = [] }) => matches.map(({ path }) => path?.value));
    expect(paths.sort()).toEqual(['/docs', '/openapi.json', '/portal', '/scim/v2', '/v1']);
    for (const { backendRefs, matches } of rules) expect(backendRefs === undefined || matches !== undefined).toBe(true);
  });

  function templateOf(name: string): Record<string, string> {
    const secret = ofKind<IExternalSecret>(manifests, 'ExternalSecret').find((each) => nameOf(each) === name);
    return secret?.spec?.target?.template?.data ?? {};
  }
});

describeRendered('the overlay example on top of production', () => {
  it('changes every value that docs/kubernetes.md says to change', () => {
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
