import { services } from '@idsync/contracts';
import {
  directoryEnvironment,
  dispatcherEnvironment,
  gatewayEnvironment,
  migrateEnvironment,
  readEnv,
  syncWorkerEnvironment,
} from '@idsync/runtime';
import { expect, it } from '@jest/globals';
import type { IExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1/ExternalSecret';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
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
import { describeRendered, kustomize, overlays, render } from './render.js';

const environments = {
  gateway: gatewayEnvironment,
  directory: directoryEnvironment,
  'sync-worker': syncWorkerEnvironment,
  'webhook-dispatcher': dispatcherEnvironment,
  migrate: migrateEnvironment,
};
const ours = [...services, 'migrate'] as const;

/** A service closes within so many seconds, or is ended by itself: `closeWithinMs` of libs/runtime. */
const closesWithin = 30;

/** What operators make in production, and with which keys. */
const madeByOperators: Record<string, string[]> = {
  'rabbitmq-default-user': ['connection_string'],
  'postgresql-ca': ['ca.crt'],
};

describeRendered.each(overlays)('the overlay %s', (overlay) => {
  const manifests = kustomize ? render(`overlays/${overlay}`) : [];
  const deployments = ofKind<IDeployment>(manifests, 'Deployment');
  const jobs = ofKind<IJob>(manifests, 'Job');
  const workloads = workloadsOf(manifests);

  it('deploys each service, and the migration as a job', () => {
    expect(deployments.map(nameOf).sort()).toEqual([...services].sort());
    expect(jobs.map(nameOf)).toEqual(['migrate']);
    for (const workload of [...deployments, ...jobs]) {
      expect(containerOf(workload).image).toMatch(new RegExp(`^(.+/)?idsync/${nameOf(workload)}:.+`));
    }
  });

  it('is all in one namespace, which takes restricted pods only', () => {
    const [namespace, ...others] = ofKind<INamespace>(manifests, 'Namespace');
    expect(others).toEqual([]);
    expect(namespace?.metadata?.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    for (const { kind, metadata } of manifests) {
      if (kind !== 'Namespace') expect(metadata.namespace).toBe(namespace?.metadata?.name);
    }
  });

  it('names no object twice', () => {
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

  it.each(ours)('gives %s the user, the file system and the memory that its image is made for', (name) => {
    const workload = workloadOf(manifests, name);
    const { securityContext, resources } = containerOf(workload);
    expect(podOf(workload).securityContext).toMatchObject({ runAsUser: 10_001, runAsGroup: 10_001 });
    expect(podOf(workload).enableServiceLinks).toBe(false);
    expect(securityContext?.readOnlyRootFilesystem).toBe(true);
    expect(containerOf(workload).volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
    expect(Object.keys(resources?.requests ?? {}).sort()).toEqual(['cpu', 'memory']);
    expect(Object.keys(resources?.limits ?? {})).toContain('memory');
  });

  it.each(ours)('gives %s an account of its own that opens nothing', (name) => {
    expect(podOf(workloadOf(manifests, name)).serviceAccountName).toBe(name);
    const account = ofKind<IServiceAccount>(manifests, 'ServiceAccount').find((each) => nameOf(each) === name);
    expect(account?.automountServiceAccountToken).toBe(false);
  });

  it.each(ours)('gives %s every variable that it needs, and none that it does not know', (name) => {
    const { shape } = environments[name];
    const { values, given } = environmentOf(containerOf(workloadOf(manifests, name)));
    expect(() => readEnv(environments[name], values)).not.toThrow();
    if (name !== 'migrate') expect(values).toHaveProperty('AMQP_URL');
    expect(given.filter((variable) => !(variable in shape))).toEqual([]);
  });

  it.each(ours)('mounts into %s no Secret that nobody makes', (name) => {
    for (const { secret } of podOf(workloadOf(manifests, name)).volumes ?? []) {
      if (!secret) continue;
      const missing = secret.items?.filter(({ key }) => !keysOf(secret.secretName ?? '').includes(key));
      expect(missing).toEqual([]);
    }
  });

  it.each(services)('probes %s at the internal port, and waits for it to end', (name) => {
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

  it('lets the gateway know of its end at once, so that it sends its clients elsewhere before it closes their connections', () => {
    const { env, lifecycle } = containerOf(workloadOf(manifests, 'gateway'));
    expect(lifecycle).toBeUndefined();
    const delay = env?.find((variable) => variable.name === 'DRAIN_DELAY_MS')?.value;
    // Two looks of the readiness probe, and what kube-proxy and load balancers take to hear of it.
    expect(Number(delay)).toBeGreaterThanOrEqual(10_000);
  });

  it.each(services)('spreads %s over nodes, be they in zones or not, and over zones', (name) => {
    const { topologySpreadConstraints, affinity } = podOf(workloadOf(manifests, name));
    // A constraint for zones beside it would keep nodes that are in none from being scored at all.
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

  it.each(services)('lets one of %s be evicted at a time', (name) => {
    const budgets = ofKind<IPodDisruptionBudget>(manifests, 'PodDisruptionBudget');
    const mine = budgets.filter(({ spec }) => selects(spec?.selector, labelsOf(workloadOf(manifests, name))));
    expect(mine.map(({ spec }) => spec?.maxUnavailable)).toEqual([1]);
  });

  /** What its container is given: values as they are or, for what is secret, a right one; and which variables were given to it alone. */
  function environmentOf(container: IContainer): { values: Record<string, string>; given: string[] } {
    const settings = (container.envFrom ?? []).flatMap(({ configMapRef }) => {
      const map = ofKind<IConfigMap>(manifests, 'ConfigMap').find((each) => nameOf(each) === configMapRef?.name);
      return Object.entries(map?.data ?? {});
    });
    const own = (container.env ?? []).map(({ name, value, valueFrom }) => {
      if (value !== undefined) return [name, value] as const;
      const { name: secret = '', key = '', optional } = valueFrom?.secretKeyRef ?? {};
      if (!keysOf(secret).includes(key) && !optional) throw new Error(`${name}: no Secret ${secret} with ${key}`);
      return [name, rightValues[name] ?? ''] as const;
    });
    // It has to be a folder that is there.
    const values = { ...Object.fromEntries([...settings, ...own]), SOURCES_DIR: '/' };
    return { values, given: own.map(([name]) => name) };
  }

  /** The keys of a Secret, whoever makes it. */
  function keysOf(name: string): string[] {
    const secret = ofKind<ISecret>(manifests, 'Secret').find((each) => nameOf(each) === name);
    const external = ofKind<IExternalSecret>(manifests, 'ExternalSecret').find((each) => nameOf(each) === name);
    const byOperators = overlay !== 'dev' ? madeByOperators[name] : undefined;
    return byOperators ?? Object.keys(secret?.data ?? external?.spec?.target?.template?.data ?? {});
  }
});

describeRendered('the overlay dev on a small machine', () => {
  const manifests = kustomize ? render('overlays/dev') : [];

  it('asks for less than one processor, with another pod of each service beside the one that it replaces', () => {
    const asked = (workload: Workload) => {
      const cpu = String(containerOf(workload).resources?.requests?.cpu);
      expect(cpu).toMatch(/^\d+m$/);
      return Number.parseInt(cpu, 10);
    };
    const pods = [...workloadsOf(manifests), ...ofKind<IDeployment>(manifests, 'Deployment')];
    expect(pods.map(asked).reduce((sum, each) => sum + each, 0)).toBeLessThan(1_000);
  });
});

const rightValues: Record<string, string> = {
  DATABASE_URL: 'postgres://user:password@host:5432/database',
  AMQP_URL: 'amqp://user:password@host:5672/',
  ADMIN_TOKEN: 'a token of operators',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};
