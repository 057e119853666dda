import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { services } from '@idsync/contracts';
import { expect, it } from '@jest/globals';
import type { IPodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import type { IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { parse } from 'yaml';
import { labelsOf, nameOf, ofKind, selects, workloadOf } from './objects.js';
import { describeRendered, kustomize, render } from './render.js';

const alerts = observed('alerts.yml') as IPrometheusRule['spec'];

describeRendered('the Prometheus objects of the production overlay', () => {
  const manifests = kustomize ? render('overlays/production') : [];
  const [rule] = ofKind<IPrometheusRule>(manifests, 'PrometheusRule');
  const monitors = ofKind<IPodMonitor>(manifests, 'PodMonitor');
  const monitor = monitors.find((each) => nameOf(each) === 'idsync');

  it('have the same alerts as observability/alerts.yml', () => {
    expect(rule?.spec).toEqual(alerts);
  });

  it('label each service with the job and service name that the alerts use', () => {
    for (const service of services) {
      const labels = labelsOf(workloadOf(manifests, service));
      expect(selects(monitor?.spec?.selector, labels)).toBe(true);
      expect(labels[monitor?.spec?.jobLabel ?? '']).toBe('idsync');
      expect(labels['app.kubernetes.io/component']).toBe(service);
      expect(JSON.stringify(alerts)).toContain(`absent(up{job=\\"idsync\\", service=\\"${service}\\"})`);
    }
    expect(monitor?.spec?.podMetricsEndpoints).toMatchObject([
      {
        port: 'internal',
        honorLabels: true,
        relabelings: [
          { sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_component'], targetLabel: 'service' },
        ],
      },
    ]);
  });

  it('scrape each RabbitMQ queue by name, as observability/prometheus.yml does', () => {
    const { scrape_configs } = observed('prometheus.yml') as {
      scrape_configs: { job_name: string; metrics_path?: string; params?: object }[];
    };
    const elsewhere = scrape_configs.find(({ job_name }) => job_name === 'rabbitmq');
    const here = monitors.find((each) => nameOf(each) === 'rabbitmq')?.spec?.podMetricsEndpoints;
    expect(here).toContainEqual(
      expect.objectContaining({ port: 'prometheus-tls', path: '/metrics/detailed', params: elsewhere?.params }),
    );
    for (const endpoint of here ?? []) {
      expect(endpoint).toMatchObject({ scheme: 'https', tlsConfig: { ca: { secret: { name: 'rabbitmq-tls' } } } });
    }
    expect(elsewhere?.metrics_path).toBe('/metrics/detailed');
  });
});

function observed(file: string): unknown {
  return parse(readFileSync(fileURLToPath(new URL(`../../observability/${file}`, import.meta.url)), 'utf8'));
}
