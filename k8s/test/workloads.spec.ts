import { services } from '@idsync/contracts';
import {
  directoryEnvironment,
  dispatcherEnvironment,
  gatewayEnvironment,
  migrateEnvironment,
  readEnv,
  secretVariables,
  syncWorkerEnvironment,
} from '@idsync/runtime';
import { expect, it } from '@jest/globals';
import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import type { IExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1beta1/ExternalSecret';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { INamespace } from 'kubernetes-models/v1/Namespace';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import {
  containerOf,
  labelsOf,
  nameOf,
  ofKind,
  podOf,
  selects,
  type Workload,
  workloadOf,
  workloadsOf,
} from './objects.js';
import type { IRabbitmqCluster } from './rabbitmq-cluster.js';
import { describeRendered, kustomize, overlays, render } from './render.js';

const environments = {
  gateway: gatewayEnvironment,
  directory: directoryEnvironment,
  'sync-worker': syncWorkerEnvironment,
  'webhook-dispatcher': dispatcherEnvironment,
  migrate: migrateEnvironment,
};
const ours = [...services, 'migrate'] as const;

/** Seconds within which a service exits after SIGTERM: `closeWithinMs` of libs/runtime. */
const closesWithin = 30;

/** Secrets that operators create in production, with their keys. */
const createdByOperators: Record<string, string[]> = {
  'postgresql-ca': ['ca.crt'],
};

describeRendered.each(overlays)('the overlay %s', (overlay) => {
  const manifests = kustomize ? render(`overlays/${overlay}`) : [];
  const deployments = ofKind<IDeployment>(manifests, 'Deployment');
  const jobs = ofKind<IJob>(manifests, 'Job');
  const workloads = workloadsOf(manifests);

  it('deploys each service and runs the migration as a Job', () => {
    expect(deployments.map(nameOf).sort()).toEqual([...services].sort());
    expect(jobs.map(nameOf)).toEqual(['migrate']);
    for (const workload of [...deployments, ...jobs]) {
      expect(containerOf(workload).image).toMatch(new RegExp(`^(.+/)?idsync/${nameOf(workload)}:.+`));
    }
  });

  it('pins third-party images by digest', () => {
    const images = workloads.filter((each) => !(ours as readonly string[]).includes(nameOf(each))).map(containerOf);
    const broker = ofKind<IRabbitmqCluster>(manifests, 'RabbitmqCluster').map(({ spec }) => spec);
    const database = ofKind<ICluster>(manifests, 'Cluster').map(({ spec }) => ({ image: spec?.imageName }));
    for (const { image } of [...images, ...broker, ...database]) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  it('uses one namespace that accepts only restricted pods', () => {
    const [namespace, ...others] = ofKind<INamespace>(manifests, 'Namespace');
    expect(others).toEqual([]);
    expect(namespace?.metadata?.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    for (const { kind, metadata } of manifests) {
      if (kind !== 'Namespace') expect(metadata.namespace).toBe(namespace?.metadata?.name);
    }
  });

  it('has no two objects with the same name', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(workloads.map(nameOf))('runs %s as a restricted pod', (name) => {
    const pod = podOf(workloadOf(manifests, name));
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers']) expect(pod).not.toHaveProperty(field);
    for (const { name: _name, ...kind } of pod.volumes ?? []) {
      expect(['configMap', 'emptyDir', 'persistentVolumeClaim', 'secret']).toEqual(
        expect.arrayContaining(Object.keys(kind)),
      );
    }
    expect(containerOf(workloadOf(manifests, name)).securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  });

  it.each(ours)('gives %s the user, the read-only file system and the resources that its image needs', (name) => {
    const workload = workloadOf(manifests, name);
    const { securityContext, resources } = containerOf(workload);
    expect(podOf(workload).securityContext).toMatchObject({ runAsUser: 10_001, runAsGroup: 10_001 });
    expect(podOf(workload).enableServiceLinks).toBe(false);
    expect(securityContext?.readOnlyRootFilesystem).toBe(true);
    expect(containerOf(workload).volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
    expect(Object.keys(resources?.requests ?? {}).sort()).toEqual(['cpu', 'memory']);
    expect(Object.keys(resources?.limits ?? {})).toContain('memory');
  });

  it.each(ours)('gives %s its own service account without a token', (name) => {
    expect(podOf(workloadOf(manifests, name)).serviceAccountName).toBe(name);
    const account = ofKind<IServiceAccount>(manifests, 'ServiceAccount').find((each) => nameOf(each) === name);
    expect(account?.automountServiceAccountToken).toBe(false);
  });

  it.each(ours)('sets every environment variable that %s requires and no unknown one', (name) => {
    const { shape } = environments[name];
    const { values, given } = environmentOf(workloadOf(manifests, name));
    expect(() => readEnv(environments[name], values)).not.toThrow();
    if (name !== 'migrate') expect(values).toHaveProperty('AMQP_URL');
    expect(given.filter((variable) => !(variable in shape))).toEqual([]);
  });

  it.each(ours)('gives %s its secrets as files and none in its environment', (name) => {
    const { env = [], envFrom = [] } = containerOf(workloadOf(manifests, name));
    expect(env.filter(({ valueFrom }) => valueFrom?.secretKeyRef)).toEqual([]);
    expect(envFrom.filter(({ secretRef }) => secretRef)).toEqual([]);
    for (const variable of secretVariables) expect(env.map((each) => each.name)).not.toContain(variable);
  });

  it.each(ours)('mounts into %s only Secrets that exist', (name) => {
    for (const { secret } of podOf(workloadOf(manifests, name)).volumes ?? []) {
      if (!secret) continue;
      const keys = keysOf(secret.secretName ?? '');
      expect(keys).not.toEqual([]);
      for (const { key } of secret.items ?? []) expect(keys).toContain(key);
    }
  });

  it.each(services)('probes %s at the internal port and waits for its shutdown', (name) => {
    const container = containerOf(workloadOf(manifests, name));
    expect(container.ports).toContainEqual(expect.objectContaining({ name: 'internal', containerPort: 9464 }));
    for (const [probe, path] of [
      [container.startupProbe, '/livez'],
      [container.livenessProbe, '/livez'],
      [container.readinessProbe, '/readyz'],
    ] as const) {
      expect(probe?.httpGet).toEqual({ path, port: 'internal' });
    }
    const drains = Number(container.env?.find((variable) => variable.name === 'DRAIN_DELAY_MS')?.value ?? 0) / 1_000;
    expect(podOf(workloadOf(manifests, name)).terminationGracePeriodSeconds).toBeGreaterThan(closesWithin + drains);
  });

  it('sends SIGTERM to the gateway at once, so that it drains its clients before it closes connections', () => {
    const { env, lifecycle } = containerOf(workloadOf(manifests, 'gateway'));
    expect(lifecycle).toBeUndefined();
    const delay = env?.find((variable) => variable.name === 'DRAIN_DELAY_MS')?.value;
    // Two periods of the readiness probe, plus the time until kube-proxy and load balancers are updated.
    expect(Number(delay)).toBeGreaterThanOrEqual(10_000);
  });

  it.each(services)('spreads %s over nodes, with or without zones, and over zones', (name) => {
    const { topologySpreadConstraints, affinity } = podOf(workloadOf(manifests, name));
    // With a second constraint for zones, the scheduler would not score nodes without a zone.
    expect(topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual(['kubernetes.io/hostname']);
    const terms = affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    expect(terms.map(({ podAffinityTerm }) => podAffinityTerm.topologyKey)).toEqual(['topology.kubernetes.io/zone']);
    for (const { labelSelector, matchLabelKeys } of [
      ...(topologySpreadConstraints ?? []),
      ...terms.map(({ podAffinityTerm }) => podAffinityTerm),
    ]) {
      expect(selects(labelSelector, labelsOf(workloadOf(manifests, name)))).toBe(true);
      expect(matchLabelKeys).toEqual(['app.kubernetes.io/component', 'pod-template-hash']);
    }
  });

  it.each(services)('lets one pod of %s be evicted at a time', (name) => {
    const budgets = ofKind<IPodDisruptionBudget>(manifests, 'PodDisruptionBudget');
    const mine = budgets.filter(({ spec }) => selects(spec?.selector, labelsOf(workloadOf(manifests, name))));
    expect(mine.map(({ spec }) => spec?.maxUnavailable)).toEqual([1]);
  });

  /** Returns the variables of the container, with valid values for secrets in files, and the names set only for it. */
  function environmentOf(workload: Workload): { values: Record<string, string>; given: string[] } {
    const { envFrom = [], env = [] } = containerOf(workload);
    const settings = envFrom.flatMap(({ configMapRef }) => {
      const map = ofKind<IConfigMap>(manifests, 'ConfigMap').find((each) => nameOf(each) === configMapRef?.name);
      return Object.entries(map?.data ?? {});
    });
    const own = env.map(({ name, value = '' }) => {
      if (!name.endsWith('_FILE')) return [name, value] as const;
      if (!filesOf(workload).includes(value)) throw new Error(`${name}: no Secret has ${value}`);
      const variable = name.slice(0, -'_FILE'.length);
      return [variable, validValues[variable] ?? ''] as const;
    });
    // SOURCES_DIR must be an existing folder.
    const values = { ...Object.fromEntries([...settings, ...own]), SOURCES_DIR: '/' };
    return { values, given: own.map(([name]) => name) };
  }

  /** Returns the paths of all files that Secrets mount into the container. */
  function filesOf(workload: Workload): string[] {
    return (podOf(workload).volumes ?? []).flatMap(({ name, secret }) => {
      const mount = containerOf(workload).volumeMounts?.find((each) => each.name === name);
      return keysOf(secret?.secretName ?? '').map((key) => `${mount?.mountPath}/${key}`);
    });
  }

  /** Returns the keys of a Secret, whether a manifest, External Secrets or an operator creates it. */
  function keysOf(name: string): string[] {
    const secret = ofKind<ISecret>(manifests, 'Secret').find((each) => nameOf(each) === name);
    const external = ofKind<IExternalSecret>(manifests, 'ExternalSecret').find((each) => nameOf(each) === name);
    const byOperators = overlay !== 'dev' ? createdByOperators[name] : undefined;
    return byOperators ?? Object.keys(secret?.data ?? external?.spec?.target?.template?.data ?? {});
  }
});

describeRendered('the overlay dev', () => {
  const manifests = kustomize ? render('overlays/dev') : [];

  it('requests less than one processor, even while a rollout runs a second pod of each service', () => {
    const requestedMillicores = (workload: Workload) => {
      const cpu = String(containerOf(workload).resources?.requests?.cpu);
      expect(cpu).toMatch(/^\d+m$/);
      return Number.parseInt(cpu, 10);
    };
    const pods = [...workloadsOf(manifests), ...ofKind<IDeployment>(manifests, 'Deployment')];
    expect(pods.map(requestedMillicores).reduce((sum, each) => sum + each, 0)).toBeLessThan(1_000);
  });
});

const validValues: Record<string, string> = {
  DATABASE_URL: 'postgres://user:password@host:5432/database',
  AMQP_URL: 'amqp://user:password@host:5672/',
  ADMIN_TOKEN: 'a token of operators',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};
