import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  directoryEnvironment,
  dispatcherEnvironment,
  gatewayEnvironment,
  secretVariables,
  syncWorkerEnvironment,
} from '@idsync/runtime';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { describeChart, lintChart, renderChart } from './helm.js';
import { containerOf, nameOf, ofKind, podOf, workloadOf } from './objects.js';
import type { IRabbitmqCluster } from './rabbitmq-cluster.js';
import { type Manifest, render, renderComponents } from './render.js';
import { schemaErrors } from './schema-errors.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The components of the overlay `production`. */
const components = ['postgresql', 'rabbitmq', 'external-secrets', 'http-route', 'autoscaling', 'monitoring'];

describeChart('the Helm chart', () => {
  it('has the templates that `npm run chart` writes from the manifests for kustomize', () => {
    const written = mkdtempSync(join(tmpdir(), 'idsync-chart-'));
    const committed = join(root, 'k8s/chart/templates');
    const contentOf = (folder: string) =>
      Object.fromEntries(
        readdirSync(folder)
          .filter((file) => file.endsWith('.yaml'))
          .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
      );
    try {
      execFileSync(process.execPath, [join(root, 'tools/chart/write.mjs'), written]);
      expect(contentOf(written)).toEqual(contentOf(committed));
    } finally {
      rmSync(written, { recursive: true });
    }
  });

  it.each([
    ['the default values', {}],
    ['the values of the example', 'overlays/example/values.yaml'],
  ])('passes helm lint with %s', (_what, values) => {
    expect(lintChart(values)).toContain('0 chart(s) failed');
  });

  it.each([
    ['production', {}],
    ['example', 'overlays/example/values.yaml'],
  ])('creates the same objects as the overlay %s', (overlay, values) => {
    expect(comparable(renderChart(values))).toEqual(comparable(render(`overlays/${overlay}`)));
  });

  it.each([
    ['external-secrets', 'externalSecrets'],
    ['http-route', 'httpRoute'],
    ['autoscaling', 'autoscaling'],
    ['monitoring', 'monitoring'],
  ])('creates the same objects as kustomize without the component %s', (component, key) => {
    const others = components.filter((each) => each !== component);
    expect(comparable(renderChart({ [key]: { enabled: false } }))).toEqual(comparable(renderComponents(others)));
  });

  it('creates the same objects as kustomize with the component read-replicas', () => {
    const ours = renderChart({ readReplicas: { enabled: true } });
    expect(comparable(ours)).toEqual(comparable(renderComponents([...components, 'read-replicas'])));
  });

  describe('with existing servers', () => {
    const database = { host: 'db.example.com', port: 5433, cidrs: ['10.1.0.0/24', '10.2.0.0/24'] };
    const broker = { host: 'mq.example.com', port: 5674, cidrs: ['10.3.0.1/32'] };
    const ofOperators = /^(postgresql|rabbitmq)(-(?!autoscaler)|$)/;
    const valuesWith = (authorities: [string, string]) => ({
      postgresql: { enabled: false, existing: { ...database, authority: authorities[0] } },
      rabbitmq: { enabled: false, existing: { ...broker, authority: authorities[1] } },
    });

    /** The objects of kustomize after the steps of docs/kubernetes.md for existing servers. */
    function expected(manifests: readonly Manifest[], replaced: readonly [string, string][]): Record<string, unknown> {
      const kept = new Set(renderComponents(components.slice(2)).map(idOf));
      const ours = manifests
        .filter((each) => kept.has(idOf(each)))
        .filter((each) => each.kind === 'TriggerAuthentication' || !ofOperators.test(nameOf(each)));
      const allow = (name: string, { port, cidrs }: typeof database) => {
        const policy = ofKind<INetworkPolicy>(ours, 'NetworkPolicy').find((each) => nameOf(each) === name);
        const to = cidrs.map((cidr) => ({ ipBlock: { cidr } }));
        Object.assign(policy?.spec ?? {}, { egress: [{ to, ports: [{ protocol: 'TCP', port }] }] });
      };
      allow('to-postgresql', database);
      allow('to-rabbitmq', broker);
      for (const { spec } of ofKind<IScaledObject>(ours, 'ScaledObject'))
        for (const { type, metadata } of spec?.triggers ?? []) if (type === 'postgresql') metadata.port = '5433';
      const addresses: [string, string][] = [
        ['postgresql-rw.idsync.svc:5432', 'db.example.com:5433'],
        ['postgresql-rw.idsync.svc', 'db.example.com'],
        ['rabbitmq.idsync.svc:5671', 'mq.example.com:5674'],
      ];
      let text = JSON.stringify(ours);
      for (const [from, to] of [...addresses, ...replaced]) text = text.replaceAll(from, to);
      return comparable(JSON.parse(text));
    }

    it('connects to them and verifies their certificates with the authorities of the given Secrets', () => {
      const replaced: [string, string][] = [
        ['"secretName":"postgresql-ca"', '"secretName":"database-authority"'],
        ['"secretName":"rabbitmq-tls"', '"secretName":"broker-authority"'],
        ['"name":"rabbitmq-tls"', '"name":"broker-authority"'],
      ];
      const ours = renderChart(valuesWith(['database-authority', 'broker-authority']));
      expect(comparable(ours)).toEqual(expected(renderComponents(components), replaced));
    });

    it('mounts no authority if those of the servers are public', () => {
      const replaced: [string, string][] = [
        ['&sslrootcert=/etc/idsync/postgresql/ca.crt', ''],
        ['?cacertfile=/etc/idsync/rabbitmq/ca.crt', ''],
        [',{"key":"ca.crt","name":"rabbitmq-tls","parameter":"ca"}', ''],
      ];
      const ours = renderChart(valuesWith(['', '']));
      expect(comparable(ours)).toEqual(expected(renderComponents(components.slice(2)), replaced));
    });
  });

  describe('with every other option', () => {
    const services = ['gateway', 'directory', 'syncWorker', 'webhookDispatcher'];
    const resources = { requests: { cpu: 2, memory: '3Gi' }, limits: { memory: '4Gi' } };
    const digest = `sha256:${'0'.repeat(64)}`;
    const values = {
      image: {
        registry: 'registry.example.com:5000/team',
        tag: '1.2.3',
        digests: { gateway: digest },
        pullSecrets: ['pull'],
      },
      ...Object.fromEntries(
        [...services, 'migrate'].map((key) => [key, { secret: `own-${key.toLowerCase()}`, resources }]),
      ),
      settings: { RATE_LIMIT_PER_MINUTE: 1_000_000, ADMIN_TOKEN_DISABLED: true, NODE_OPTIONS: '--trace-warnings' },
      postgresql: {
        operatorNamespace: 'databases',
        size: '1Ti',
        walSize: '20Gi',
        resources,
        parameters: { shared_buffers: '2GB' },
        extraSpec: { plugins: [{ name: 'barman-cloud.cloudnative-pg.io' }] },
      },
      rabbitmq: { operatorNamespace: 'brokers', size: '30Gi', resources },
      externalSecrets: { rabbitmqCertificate: false },
      autoscaling: { namespace: 'scalers' },
      monitoring: { namespace: 'observers' },
    };
    let manifests: Manifest[];
    beforeAll(() => {
      manifests = renderChart(values, '--namespace', 'people');
    });
    const programs = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher', 'migrate'];

    it('matches the schemas of Kubernetes and of the operators', async () => {
      expect(await schemaErrors(manifests)).toEqual([]);
    });

    it('runs in the namespace of the release', () => {
      expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['people']));
      expect(JSON.stringify(manifests)).not.toMatch(/idsync\.svc/);
    });

    it.each(programs)('sets image, Secret and resources of %s', (name) => {
      const workload = workloadOf(manifests, name);
      const image = `registry.example.com:5000/team/${name}`;
      expect(containerOf(workload).image).toBe(name === 'gateway' ? `${image}@${digest}` : `${image}:1.2.3`);
      expect(containerOf(workload).resources).toEqual(resources);
      const { imagePullSecrets, volumes } = podOf(workload);
      expect(imagePullSecrets).toEqual([{ name: 'pull' }]);
      const secret = `own-${name.replace('-', '')}`;
      expect(volumes?.find((volume) => volume.name === 'secrets')?.secret?.secretName).toBe(secret);
      expect(ofKind<Manifest>(manifests, 'ExternalSecret').map(nameOf)).toContain(secret);
    });

    it('writes numbers and booleans of settings as text', () => {
      const [map] = ofKind<IConfigMap>(manifests, 'ConfigMap');
      expect(map?.data).toMatchObject({
        RATE_LIMIT_PER_MINUTE: '1000000',
        ADMIN_TOKEN_DISABLED: 'true',
        NODE_OPTIONS: '--trace-warnings',
        LOG_LEVEL: 'info',
      });
    });

    it('changes the clusters of PostgreSQL and RabbitMQ', () => {
      const [database] = ofKind<ICluster>(manifests, 'Cluster');
      expect(database?.spec).toMatchObject({ resources, storage: { size: '1Ti' }, walStorage: { size: '20Gi' } });
      expect(database?.spec?.postgresql?.parameters).toEqual({
        max_connections: '400',
        shared_buffers: '2GB',
        wal_compression: 'lz4',
      });
      expect(database?.spec).toMatchObject(values.postgresql.extraSpec);
      const [broker] = ofKind<IRabbitmqCluster>(manifests, 'RabbitmqCluster');
      expect(broker?.spec).toMatchObject({ resources, persistence: { storage: '30Gi' } });
    });

    it('lets cert-manager write the certificate of RabbitMQ', () => {
      expect(ofKind<Manifest>(manifests, 'ExternalSecret').map(nameOf)).not.toContain('rabbitmq-tls');
    });

    it('names the namespaces of operators and controllers in the policies', () => {
      const text = JSON.stringify(ofKind<INetworkPolicy>(manifests, 'NetworkPolicy'));
      const named = [...text.matchAll(/"kubernetes.io\/metadata.name":"([^"]+)"/g)].map(([, name]) => name);
      const expected = ['brokers', 'databases', 'envoy-gateway-system', 'kube-system', 'observers', 'scalers'];
      expect([...new Set(named)].sort()).toEqual(expected);
    });
  });

  it.each([
    ['with autoscaling', true, [3, 10]],
    ['without autoscaling', false, undefined],
  ])('sets the replicas of a service %s', (_what, enabled, range) => {
    const manifests = renderChart({
      directory: { replicas: 4, minReplicas: 3, maxReplicas: 10 },
      autoscaling: { enabled },
    });
    const scaled = ofKind<IScaledObject>(manifests, 'ScaledObject').find((each) => nameOf(each) === 'directory');
    expect(scaled && [scaled.spec?.minReplicaCount, scaled.spec?.maxReplicaCount]).toEqual(range);
    const { spec } = workloadOf(manifests, 'directory') as IDeployment;
    expect(spec?.replicas).toBe(enabled ? undefined : 4);
  });

  it('replaces the pods when a setting changes, and only then', () => {
    const checksums = (level: string) =>
      ofKind<IDeployment>(renderChart({ settings: { LOG_LEVEL: level } }), 'Deployment').map(
        ({ spec }) => spec?.template.metadata?.annotations?.['checksum/settings'],
      );
    expect(checksums('info')).toEqual(checksums('info'));
    expect(new Set([...checksums('info'), ...checksums('debug')]).size).toBe(2);
  });

  it('migrates beside the services in an installation, and before them in an upgrade, which leaves no Job', () => {
    const hooksOf = (...words: string[]) =>
      renderChart({}, ...words).flatMap(({ kind, metadata }: Annotated) => {
        const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith('helm.sh/hook'));
        return own.length > 0 ? [{ [`${kind} ${metadata.name}`]: Object.fromEntries(own) }] : [];
      });
    expect(hooksOf()).toEqual([]);
    const annotations = {
      'helm.sh/hook': 'pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
      'helm.sh/hook-output-log-policy': 'hook-failed',
    };
    expect(hooksOf('--is-upgrade')).toEqual([{ 'Job migrate': annotations }]);
  });

  it('keeps PostgreSQL and RabbitMQ when it is uninstalled', () => {
    const kept = renderChart({}).flatMap(({ kind, metadata }: Annotated) =>
      metadata.annotations?.['helm.sh/resource-policy'] === 'keep' ? [kind] : [],
    );
    expect(kept.sort()).toEqual(['Cluster', 'RabbitmqCluster']);
  });

  describe('names the wrong value, and what is allowed, for', () => {
    const wrong = {
      gateway: { replica: 3, replicas: 'three' },
      directory: null,
      settings: { RATE_LIMT: 1, ADMIN_TOKEN: 'x' },
      image: { digests: { gateway: '1.2', worker: '' } },
      networks: { sources: { cidrs: ['10.0.0.0'], ports: [636] }, receivers: { cidrs: ['10.0.0.0/8'] } },
      postgresql: { enabled: false, size: '50', extraSpec: { instances: 1 } },
      rabbitmq: { enabled: false, existing: { host: 'mq.example.com' } },
      httpRoute: { host: 'https://idsync.example.com' },
      readReplicas: { enabled: true },
    };
    let printed = '';
    beforeAll(() => {
      try {
        renderChart(wrong);
      } catch (error) {
        printed = String(error);
      }
    });

    it.each([
      ['an unknown name', "at '/gateway': additional properties 'replica' not allowed"],
      ['a wrong type', "at '/gateway/replicas': got string, want integer"],
      ['a removed part', "missing property 'directory'"],
      ['an unknown setting', "invalid propertyName 'RATE_LIMT'"],
      ['a secret in the settings', "invalid propertyName 'ADMIN_TOKEN'"],
      ['a tag instead of a digest', "at '/image/digests/gateway': '1.2' does not match pattern '^sha256:"],
      ['the digest of an unknown service', "at '/image/digests': additional properties 'worker' not allowed"],
      ['an address without the length of its prefix', "at '/networks/sources/cidrs/0': '10.0.0.0' does not match"],
      ['a network without ports', "at '/networks/receivers/ports': minItems: got 0, want 1"],
      ['PostgreSQL without an operator and without a host', "at '/postgresql/existing/host': minLength: got 0, want 1"],
      ['RabbitMQ without an operator and without addresses', "at '/rabbitmq/existing/cidrs': minItems: got 0, want 1"],
      ['a size without a unit', "at '/postgresql/size': '50' does not match pattern '^[0-9]+(Mi|Gi|Ti)$'"],
      ['a field of the Cluster that another value sets', "invalid propertyName 'instances'"],
      ['a URL instead of a host', "at '/httpRoute/host': 'https://idsync.example.com' does not match pattern"],
      ['read replicas of an existing PostgreSQL', "at '/postgresql/enabled': value must be true"],
    ])('%s', (_what, message) => {
      expect(printed).toContain(message);
    });
  });
});

describe('k8s/chart/values.schema.json', () => {
  it('allows each variable of the services that is no secret, no address and not fixed by the manifests', () => {
    const fixed = /^(HOST$|PORT$|INTERNAL_|DRAIN_|SOURCES_|OTEL_|(SOURCE|WEBHOOK)_ALLOW_CIDRS$)/;
    const read = [gatewayEnvironment, directoryEnvironment, syncWorkerEnvironment, dispatcherEnvironment]
      .flatMap(({ shape }) => Object.keys(shape))
      .filter((name) => !fixed.test(name) && !(secretVariables as readonly string[]).includes(name));
    const schema = JSON.parse(readFileSync(join(root, 'k8s/chart/values.schema.json'), 'utf8'));
    const [{ enum: allowed }] = schema.properties.settings.propertyNames.anyOf;
    expect([...allowed].sort()).toEqual([...new Set(read), 'OIDC_CLIENT_SECRET_FILE'].sort());
  });
});

type Annotated = Manifest & { metadata: { annotations?: Record<string, string> } };

function idOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.name}`;
}

/**
 * Returns the objects by name, without the intended differences: Helm does not create the namespace, it replaces pods by a
 * checksum instead of a new name of the settings, and it keeps clusters.
 */
function comparable(manifests: readonly Manifest[]): Record<string, unknown> {
  const text = JSON.stringify(manifests.filter(({ kind }) => kind !== 'Namespace'));
  const named: Manifest[] = JSON.parse(text.replace(/"settings-[a-z\d]{10}"/g, '"settings"'), (key, value) => {
    if (Array.isArray(value)) return sorted(value);
    return key === 'annotations' ? withoutOwn(value) : value;
  });
  return Object.fromEntries(named.map((manifest) => [idOf(manifest), manifest]));
}

function withoutOwn(annotations: Record<string, string>): Record<string, string> | undefined {
  const kept = Object.entries(annotations).filter(([name]) => !/^(checksum\/|helm\.sh\/)/.test(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** Sorts volumes, variables and so on, whose order has no meaning. */
function sorted(items: { name?: string }[]): unknown[] {
  return items.every((item) => item?.name) ? items.sort((one, other) => (nameIn(one) < nameIn(other) ? -1 : 1)) : items;
}

function nameIn({ name = '' }: { name?: string }): string {
  return name;
}
