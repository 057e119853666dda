import { describe, expect, it } from '@jest/globals';
import { describeRendered, type Manifest, overlays, render } from './render.js';
import { schemaErrors } from './schema-errors.js';

describeRendered.each(overlays)('the overlay %s', (overlay) => {
  it('matches the schemas of Kubernetes and of the operators without unknown fields', async () => {
    expect(await schemaErrors(render(`overlays/${overlay}`))).toEqual([]);
  });
});

describe('the schemas', () => {
  const deployment = (spec: object, container: object = {}) =>
    ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'one' },
      spec: {
        selector: { matchLabels: { app: 'one' } },
        template: { metadata: { labels: { app: 'one' } }, spec: { containers: [{ name: 'one', ...container }] } },
        ...spec,
      },
    }) as Manifest;
  const scaledObject = (trigger: object) =>
    ({
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: { name: 'one' },
      spec: { scaleTargetRef: { name: 'one' }, triggers: [{ type: 'cpu', metadata: {}, ...trigger }] },
    }) as Manifest;
  const rabbitmq = (spec: object) =>
    ({
      apiVersion: 'rabbitmq.com/v1beta1',
      kind: 'RabbitmqCluster',
      metadata: { name: 'one', namespace: 'one' },
      spec: { replicas: 1, image: 'one', persistence: { storage: '1Gi' }, resources: {}, ...spec },
    }) as Manifest;

  it('accept valid objects', async () => {
    expect(await schemaErrors([deployment({ replicas: 1 }), scaledObject({}), rabbitmq({})])).toEqual([]);
  });

  it.each([
    ['an unknown field', deployment({ replica: 1 }), 'replica'],
    ['an unknown field deep inside', deployment({}, { livenessProbe: { httpGet: { port: 1, pth: '/' } } }), 'pth'],
    ['a wrong type', deployment({ replicas: '1' }), 'string'],
    ['an unknown field of an operator', scaledObject({ metricsType: 'Value' }), 'metricsType'],
    ['a number where an operator requires text', scaledObject({ metadata: { value: 1 } }), 'string'],
    ['an unknown field of RabbitMQ', rabbitmq({ replica: 1 }), 'replica'],
    ['an unknown kind', { ...deployment({}), kind: 'Deploymnt' }, 'Deploymnt'],
  ])('reject %s', async (_what, manifest, named) => {
    expect((await schemaErrors([manifest])).join('\n')).toContain(named);
  });
});
