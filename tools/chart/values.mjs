// Replaces the parts of the manifests that k8s/chart/values.yaml can change, and names the condition of each component.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { block, conditions, entries, escaped, line, Part, value } from './template.mjs';

const defaults = parse(readFileSync(new URL('../../k8s/chart/values.yaml', import.meta.url), 'utf8'));

/** Condition of the objects of each component, and of what it adds to other objects if that one differs. */
export const components = {
  postgresql: { whole: '.Values.postgresql.enabled', part: 'include "idsync.postgresqlAuthority" .' },
  rabbitmq: { whole: '.Values.rabbitmq.enabled', part: 'include "idsync.rabbitmqAuthority" .' },
  'external-secrets': { whole: '.Values.externalSecrets.enabled' },
  'http-route': { whole: '.Values.httpRoute.enabled' },
  autoscaling: { whole: '.Values.autoscaling.enabled' },
  monitoring: { whole: '.Values.monitoring.enabled' },
  'read-replicas': { whole: '.Values.readReplicas.enabled' },
};

export const programs = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher', 'migrate'];

/** The values of each policy of the example that allows private networks. */
export const networks = {
  'sync-worker-to-private-sources': '.Values.networks.sources',
  'webhook-dispatcher-to-private-receivers': '.Values.networks.receivers',
  'gateway-to-identity-provider': '.Values.networks.identityProvider',
};

/** The values that name the namespaces of operators and controllers. */
const namespaces = {
  'cnpg-system': '.Values.postgresql.operatorNamespace',
  'rabbitmq-system': '.Values.rabbitmq.operatorNamespace',
  'envoy-gateway-system': '.Values.httpRoute.gatewayNamespace',
  keda: '.Values.autoscaling.namespace',
  monitoring: '.Values.monitoring.namespace',
};

/** Addresses and what replaces them, the longest first. */
const addresses = [
  [
    'postgresql-rw.idsync.svc:5432/idsync?sslmode=verify-full&sslrootcert=/etc/idsync/postgresql/ca.crt',
    value('include "idsync.postgresqlAddress" .'),
  ],
  ['postgresql-rw.idsync.svc', value('include "idsync.postgresqlHost" .')],
  ['rabbitmq.idsync.svc:5671/?cacertfile=/etc/idsync/rabbitmq/ca.crt', value('include "idsync.rabbitmqAddress" .')],
  ['rabbitmq.idsync.svc:5671', value('include "idsync.rabbitmqHost" .')],
  ['idsync.svc', `${value('.Release.Namespace')}.svc`],
];

const setters = {
  ConfigMap: setSettings,
  Deployment(object) {
    const { template } = object.spec;
    const checksum = value('include (print $.Template.BasePath "/settings.yaml") . | sha256sum');
    template.metadata.annotations = { 'checksum/settings': checksum };
    object.spec.replicas.child = value(`.Values.${keyOf(object)}.replicas`);
    setPod(object);
  },
  Job(object) {
    setPod(object);
    setHook(object.metadata);
  },
  HorizontalPodAutoscaler(object) {
    object.spec.minReplicas = value(`.Values.${keyOf(object)}.minReplicas`);
    object.spec.maxReplicas = value(`.Values.${keyOf(object)}.maxReplicas`);
  },
  ScaledObject(object) {
    object.spec.minReplicaCount = value(`.Values.${keyOf(object)}.minReplicas`);
    object.spec.maxReplicaCount = value(`.Values.${keyOf(object)}.maxReplicas`);
    for (const { type, metadata } of object.spec.triggers)
      if (type === 'postgresql') metadata.port = value('include "idsync.postgresqlPort" . | quote');
  },
  TriggerAuthentication({ spec }) {
    for (const target of spec.secretTargetRef.filter(({ parameter }) => parameter === 'ca')) {
      target.name = value('include "idsync.rabbitmqAuthority" .');
      conditions.set(target, { code: components.rabbitmq.part });
    }
  },
  ExternalSecret(object) {
    const { metadata, spec } = object;
    spec.secretStoreRef.name = value('.Values.externalSecrets.store | quote');
    if (metadata.name === 'rabbitmq-tls')
      conditions.get(object).also = 'and .Values.rabbitmq.enabled .Values.externalSecrets.rabbitmqCertificate';
    if (programs.includes(metadata.name)) metadata.name = value(`.Values.${keyOf(object)}.secret | quote`);
  },
  Gateway({ metadata, spec }) {
    metadata.annotations['cert-manager.io/cluster-issuer'] = value('.Values.httpRoute.issuer | quote');
    spec.gatewayClassName = value('.Values.httpRoute.gatewayClass | quote');
    for (const listener of spec.listeners) listener.hostname = value('.Values.httpRoute.host | quote');
  },
  Cluster({ metadata, spec }) {
    keep(metadata);
    spec.storage = { size: value('.Values.postgresql.size | quote'), ...storageClass('postgresql', 'storageClass') };
    spec.walStorage = {
      size: value('.Values.postgresql.walSize | quote'),
      ...storageClass('postgresql', 'storageClass'),
    };
    spec.resources = block('.Values.postgresql.resources');
    spec.postgresql.parameters = block('.Values.postgresql.parameters');
    spec[entries('.Values.postgresql.extraSpec')] = null;
  },
  RabbitmqCluster({ metadata, spec }) {
    keep(metadata);
    spec.persistence = {
      storage: value('.Values.rabbitmq.size | quote'),
      ...storageClass('rabbitmq', 'storageClassName'),
    };
    spec.resources = block('.Values.rabbitmq.resources');
  },
  NetworkPolicy: setPolicy,
};

/** Replaces what the values can change. */
export function setValues(object) {
  const { kind, metadata } = object;
  metadata.namespace = value('.Release.Namespace');
  // Components also have objects for the pods and logins of operators that another component needs.
  const [, server] = /^(postgresql|rabbitmq)(?:-(?!autoscaler)|$)/.exec(metadata.name) ?? [];
  const condition = conditions.get(object);
  if (server && condition.component !== server && kind !== 'TriggerAuthentication')
    condition.also = components[server].whole;
  setters[kind]?.(object);
  setTexts(object);
}

/** Returns the key of the values for a program. */
function keyOf({ metadata }) {
  return metadata.name.replace(/-(.)/g, (_all, letter) => letter.toUpperCase());
}

function setSettings({ data }) {
  for (const name of Object.keys(defaults.settings)) delete data[name];
  data.SOURCE_ALLOW_CIDRS = value('join "," .Values.networks.sources.cidrs | quote');
  data.WEBHOOK_ALLOW_CIDRS = value('join "," .Values.networks.receivers.cidrs | quote');
  data[line('range $name, $value := .Values.settings')] = null;
  // Helm reads numbers as floating-point numbers, of which `quote` makes 1e+06.
  data[value('$name')] = value('kindIs "string" $value | ternary $value (toJson $value) | quote');
  data[line('end')] = null;
}

function setPod(object) {
  const { spec: pod } = object.spec.template;
  const [container] = pod.containers;
  container.image = value(`include "idsync.image" (list "${object.metadata.name}" .)`);
  container.resources = block(`.Values.${keyOf(object)}.resources`);
  for (const { name, secret } of pod.volumes) {
    if (name === 'secrets') secret.secretName = value(`.Values.${keyOf(object)}.secret | quote`);
    if (name === 'postgresql-ca') secret.secretName = value(components.postgresql.part);
    if (name === 'rabbitmq-ca') secret.secretName = value(components.rabbitmq.part);
  }
  pod.volumes = pod.volumes.flatMap((volume) => (volume.name === 'sources' ? sourcesOr(volume) : [volume]));
  pod[line('with .Values.image.pullSecrets')] = null;
  pod.imagePullSecrets = [line('range .'), { name: value('. | quote') }, line('end')];
  pod[line('end')] = null;
}

function sourcesOr(volume) {
  const claimName = value('.Values.sources.claim | quote');
  const claimed = { name: 'sources', persistentVolumeClaim: { claimName, readOnly: true } };
  return [line('if .Values.sources.claim'), claimed, line('else'), volume, line('end')];
}

/**
 * Makes the migration a hook of upgrades. In an installation it is an ordinary object, because a hook would run before
 * PostgreSQL, the Secret and the service account that it needs. Helm removes the Job after each upgrade, since a rollback
 * to the first release must not find it.
 */
function setHook(metadata) {
  const annotations = {
    'helm.sh/hook': 'pre-upgrade',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
    'helm.sh/hook-output-log-policy': 'hook-failed',
  };
  metadata.annotations[line('if .Release.IsUpgrade')] = null;
  Object.assign(metadata.annotations, annotations);
  metadata.annotations[line('end')] = null;
}

/** Keeps data when the release is uninstalled. */
function keep(metadata) {
  metadata.annotations = { 'helm.sh/resource-policy': 'keep' };
}

function storageClass(server, key) {
  return { [key]: new Part(`.Values.${server}.storageClass`, value(`.Values.${server}.storageClass | quote`)) };
}

function setPolicy(object) {
  const { metadata, spec } = object;
  const [, server] = /^to-(postgresql|rabbitmq)$/.exec(metadata.name) ?? [];
  if (server) {
    const [rule] = spec.egress;
    const either = (own, existing) => [
      line(`if .Values.${server}.enabled`),
      ...own,
      line('else'),
      ...existing,
      line('end'),
    ];
    rule.to = either(rule.to, blocks(`.Values.${server}.existing.cidrs`));
    rule.ports = either(rule.ports, [{ protocol: 'TCP', port: value(`.Values.${server}.existing.port`) }]);
  }
  const network = networks[metadata.name];
  if (network) {
    conditions.set(object, { code: `${network}.cidrs` });
    spec.egress = [
      { to: blocks(`${network}.cidrs`), ports: each(`${network}.ports`, { protocol: 'TCP', port: value('.') }) },
    ];
  }
}

function blocks(cidrs) {
  return each(cidrs, { ipBlock: { cidr: value('. | quote') } });
}

function each(list, item) {
  return [line(`range ${list}`), item, line('end')];
}

/** Replaces addresses and namespaces wherever they are. */
function setTexts(node) {
  for (const [key, child] of Object.entries(node)) {
    if (typeof child === 'string') node[key] = textOf(key, child);
    else if (child !== null && typeof child === 'object') setTexts(child);
  }
}

function textOf(key, text) {
  if (key === 'kubernetes.io/metadata.name' && text in namespaces) return value(`${namespaces[text]} | quote`);
  return escaped(addresses.reduce((changed, [address, replacement]) => changed.replaceAll(address, replacement), text));
}
